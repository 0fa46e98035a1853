"""Named SQL files. `query("search")` is the text of `sql/queries/search.sql`, read once."""

from functools import cache
from pathlib import Path

from magpie.errors import SettingsInvalid

PARTS = {"{passage}": "passage", "{version}": "version_columns", "{embedding_text}": "embedding_text"}
"""What several queries share stands in a file of its own."""


@cache
def sql_folder() -> Path:
    """
    The nearest `sql` folder above this file: the project's own, or the layer's beside ours.

    Raises: SettingsInvalid when there is none.
    """
    for parent in Path(__file__).resolve().parents:
        if (parent / "sql" / "migrations").is_dir():
            return parent / "sql"
    raise SettingsInvalid("no folder sql/migrations above the magpie package; deploy the sql layer too")


@cache
def query(name: str) -> bytes:
    """The statement, its shared parts filled in. Bytes: the driver takes them as trusted SQL."""
    text = (sql_folder() / "queries" / f"{name}.sql").read_text(encoding="utf-8")
    for mark, part in PARTS.items():
        if mark in text and name != part:
            text = text.replace(mark, _without_comments(query(part).decode()))
    return text.encode()


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("--")).strip()
