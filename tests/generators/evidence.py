"""
The evidence of a corpus as the writer would see it: read, typed and cut by the ingest pipeline's own steps.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from magpie.asking.support import Block
from magpie.errors import DocumentRefused
from magpie.ingesting.chunks import chunks_of
from magpie.ingesting.reading import companions_of, read
from magpie.ingesting.sources import source_of
from magpie.model import Document, Reading
from magpie.site import Site, SourceRule, load_site

TEXTUAL = (".md", ".json", ".html")


class NoHostileReader:
    """The corpora's PDF files, and files long enough to be an attack, are left out here."""

    async def read(self, document: Document, kind: str) -> NoReturn:
        raise DocumentRefused(document.path, "pdf", "is not read for pairs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A chunk as a block, with the fields of its record where it came from one."""

    block: Block
    source: str
    path: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A demo site's pieces and its site file."""

    name: str
    site: Site
    pieces: tuple[Piece, ...]


def corpora(root: Path) -> tuple[Corpus, ...]:
    """Every folder below `root` that holds a site file."""
    return tuple(_corpus(path.parent) for path in sorted(root.glob("*/site.yaml")))


def _corpus(folder: Path) -> Corpus:
    site = load_site((folder / "site.yaml").read_text(encoding="utf-8"))
    pieces = tuple(
        piece
        for path in sorted(folder.rglob("*"))
        if path.suffix in TEXTUAL
        for piece in _pieces(folder, path, site)
    )
    return Corpus(name=folder.name, site=site, pieces=pieces)


def _pieces(folder: Path, path: Path, site: Site) -> Iterator[Piece]:
    name = path.relative_to(folder).as_posix()
    rule = site.rule_for(name)
    if rule is None or rule.ignore:
        return
    document = _document(folder, name)
    try:
        readings = asyncio.run(
            read(
                document,
                rule,
                {other: _document(folder, other) for other in companions_of(rule)},
                NoHostileReader(),
            )
        )
    except DocumentRefused:
        return
    for reading in readings:
        yield from _of_reading(reading, document, rule, site)


def _of_reading(reading: Reading, document: Document, rule: SourceRule, site: Site) -> Iterator[Piece]:
    try:
        source = source_of(reading, document, rule, site)
    except DocumentRefused:
        return
    published = source.published.isoformat() if source.published else ""
    for chunk in chunks_of(source, rule.chunking or site.chunking)[0]:
        block = Block(
            number=1,
            title=source.title,
            text=chunk.content,
            scope=source.scope,
            language=source.language,
            person_key=source.person_key,
            url=source.url,
            published=published,
        )
        yield Piece(block=block, source=str(source.key), path=document.path, fields=reading.fields)


def _document(folder: Path, name: str) -> Document:
    raw = (folder / name).read_bytes()
    return Document(path=name, raw=raw, raw_hash=hashlib.sha256(raw).hexdigest())


def records(folder: Path, name: str) -> list[dict[str, Any]]:
    """The records of a JSON file of a corpus, as they are."""
    return [
        dict(record)
        for record in next(iter(json.loads((folder / name).read_text(encoding="utf-8")).values()))
    ]
