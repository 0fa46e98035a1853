"""
Word lists, one TOML file for each module that reads them; a list is a text of words.
"""

import tomllib
from functools import cache
from importlib import resources


def words(file: str, name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(lexicon(file)[name].split())


@cache
def lexicon(file: str) -> dict[str, str]:
    """All lists of a file."""
    text = resources.files(__name__).joinpath(f"{file}.toml").read_text(encoding="utf-8")
    return {name: str(value) for name, value in tomllib.loads(text).items()}
