"""Which reader a document gets, and what is refused before one is tried."""

from collections.abc import Mapping

from magpie.errors import DocumentRefused
from magpie.ingesting.readers import html, markdown, plain, records, snapshot
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
}


def kind_of(path: str, rule: SourceRule) -> str:
    """
    The reader's name.

    Raises: DocumentRefused `unsupported`.
    """
    if rule.reader != "auto":
        return rule.reader
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    if ending not in BY_ENDING:
        reason = f"no reader for .{ending} files; convert it, name a `reader` in its rule, or ignore it there"
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
    kind = kind_of(document.path, rule)
    if kind == "pdf":
        return await hostile.read(document, rule)
    if kind == "records":
        return records.read(document, rule, companions)
    if kind == "snapshot":
        return snapshot.read(document, rule, companions)
    return {"markdown": markdown.read, "html": html.read, "text": plain.read}[kind](document, rule)
