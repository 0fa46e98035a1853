"""Which reader a document gets, and what is refused before one is tried."""

import math
from collections.abc import Mapping

from magpie.errors import DocumentRefused
from magpie.ingesting.readers import markdown, plain, records
from magpie.ingesting.web import page_file
from magpie.model import Document, Reading
from magpie.ports import HostileReader
from magpie.site import SourceRule

BY_ENDING: Mapping[str, str] = {
    "md": "markdown",
    "markdown": "markdown",
    "mdown": "markdown",
    "mdx": "markdown",
    "json": "records",
    "html": "html",
    "htm": "html",
    "xhtml": "html",
    "pdf": "pdf",
    "txt": "text",
    "text": "text",
    "page": "page",
}


LONG_BYTES: Mapping[str, int] = {"markdown": 64 * 1024, "html": 256 * 1024}
"""
From here on a file is read in a process of its own: made to be slow, a shorter one takes a reader three seconds at
most, a longer one minutes.
"""


_TEXTS = frozenset(("text", "markdown", "html"))


def kind_of(path: str, rule: SourceRule) -> str:
    """
    The reader's name.

    Raises: DocumentRefused `unsupported`.
    """
    if rule.rows is not None:
        return "records"
    if rule.reader != "auto":
        return rule.reader
    _, dot, ending = path.rpartition("/")[2].lower().rpartition(".")
    if not dot or ending not in BY_ENDING:
        files = f".{ending} files" if dot else "files without an ending"
        reason = f"no reader for {files}; convert it, name a `reader` in its rule, or ignore it there"
        raise DocumentRefused(path, "unsupported", reason)
    return BY_ENDING[ending]


def companions_of(rule: SourceRule) -> tuple[str, ...]:
    """Other files of the corpus that a rule's reader looks into."""
    status = rule.records.status if rule.records else ""
    return tuple(filter(None, (status, rule.facts)))


async def read(
    document: Document, rule: SourceRule, companions: Mapping[str, Document], hostile: HostileReader
) -> tuple[Reading, ...]:
    """
    What the document holds.

    Raises: DocumentRefused with the reader's reason.
    """
    if document.path.endswith(page_file.ENDING):
        return await _read_fetched(document, rule, companions, hostile)
    return await _read_as(kind_of(document.path, rule), document, rule, companions, hostile)


async def _read_fetched(
    document: Document, rule: SourceRule, companions: Mapping[str, Document], hostile: HostileReader
) -> tuple[Reading, ...]:
    """A page of the web: by the reader of its type, unless its rule names one."""
    page = page_file.page_file(document.path, document.raw)
    kind = page.reader if rule.reader == "auto" else rule.reader
    if not kind:
        raise DocumentRefused(document.path, "unsupported", f"is {page.media_type}, which no reader reads")
    inner = page_file.document_of(document, page)
    readings = await _read_as(kind, inner, rule, companions, hostile)
    return tuple(page_file.placed_reading(reading, page, document.path) for reading in readings)


async def _read_as(
    kind: str,
    document: Document,
    rule: SourceRule,
    companions: Mapping[str, Document],
    hostile: HostileReader,
) -> tuple[Reading, ...]:
    if kind in _TEXTS and document.raw.startswith(b"%PDF-"):
        kind = "pdf"  # whatever its name says
    if kind == "pdf" or len(document.raw) >= LONG_BYTES.get(kind, math.inf):
        return await hostile.read(document, kind)
    try:
        return _read_here(kind, document, rule, companions)
    except RecursionError as exc:
        reason = "nests its parts too deep to be read; save it simpler"
        raise DocumentRefused(document.path, "too_deep", reason) from exc


def _read_here(
    kind: str, document: Document, rule: SourceRule, companions: Mapping[str, Document]
) -> tuple[Reading, ...]:
    match kind:
        case "records":
            return records.read(document, rule, companions)
        case "markdown":
            return markdown.read(document)
        case "text":
            return plain.read(document)
        case _:
            return _read_page(kind, document, rule, companions)


def _read_page(
    kind: str, document: Document, rule: SourceRule, companions: Mapping[str, Document]
) -> tuple[Reading, ...]:
    """Web pages; their libraries are imported only where there are any."""
    from magpie.ingesting.readers import html, snapshot

    return snapshot.read(document, rule, companions) if kind == "snapshot" else html.read(document)
