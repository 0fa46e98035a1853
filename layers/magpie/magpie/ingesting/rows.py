"""
Rows of a database or a CMS as documents of the corpus: one a rule, named by its path, the live rows
as JSON. What happens to records of a file happens to them: each its own source, gone when the row
is gone, unchanged when nothing in it changed.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from magpie.errors import DocumentRefused
from magpie.model import Document
from magpie.ports import CorpusFiles, RowReader
from magpie.site import Rows, Site, SourceRule

MOST_BYTES = 64 * 1024 * 1024


class CorpusWithRows:
    """The `CorpusFiles` port: a corpus' own files, and what its site file names rows for."""

    def __init__(self, files: CorpusFiles, site: Site, reader: RowReader) -> None:
        self._files = files
        self._reader = reader
        self._rules = {rule.path: rule for rule in site.sources if rule.rows is not None}

    async def paths(self) -> AsyncIterator[tuple[str, int]]:
        """A file with the name of rows is hidden by them."""
        async for path, size in self._files.paths():
            if path not in self._rules:
                yield path, size
        for path in self._rules:
            yield path, 0

    async def read(self, path: str) -> Document:
        """Raises: DocumentRefused, also `too_large` for more rows than the rule allows."""
        rule = self._rules.get(path)
        if rule is None or rule.rows is None:
            return await self._files.read(path)
        raw = await self._raw(path, rule, rule.rows)
        return Document(path=path, raw=raw, raw_hash=hashlib.sha256(raw).hexdigest())

    async def _raw(self, path: str, rule: SourceRule, rows: Rows) -> bytes:
        lines: list[str] = []
        seen = size = 0
        async for page in self._reader.pages(path, rows):
            seen += len(page)
            some = [json.dumps(row, ensure_ascii=False) for row in page if is_told(row, rows)]
            size += sum(map(len, some))
            if seen > rows.max_rows or size > MOST_BYTES:
                reason = (
                    f"has more than {rows.max_rows} rows (rows.max_rows) or 64 MB; narrow what it asks for"
                )
                raise DocumentRefused(path, "too_large", reason)
            lines += some
        return _placed(f"[{', '.join(lines)}]", rule).encode()


def is_told(row: Mapping[str, Any], rows: Rows) -> bool:
    """Neither deleted nor, where its status is told, anything but live."""
    if row.get(rows.deleted):
        return False
    said = row.get(rows.status) if rows.status else None
    return said is None or str(said).strip().lower() in {word.lower() for word in rows.live}


def _placed(text: str, rule: SourceRule) -> str:
    """Where `records.at` looks for them."""
    for name in reversed(rule.records.at.split(".") if rule.records and rule.records.at else ()):
        text = f"{{{json.dumps(name)}: {text}}}"
    return text
