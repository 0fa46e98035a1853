"""Web pages."""

from magpie.errors import DocumentRefused
from magpie.ingesting.cleaning import clean, decode
from magpie.ingesting.readers.tags import Tags
from magpie.model import Document, Reading
from magpie.site import SourceRule


def read(document: Document, rule: SourceRule) -> tuple[Reading, ...]:
    """Raises: DocumentRefused `unsupported`."""
    raise DocumentRefused(document.path, "unsupported", "web pages can't be read yet")


def all_text(document: Document) -> str:
    """All that a visitor of the page can read. Raises: DocumentRefused `bad_encoding`."""
    text, _ = decode(document.path, document.raw)
    return Tags().seen(clean(text))
