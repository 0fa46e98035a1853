"""
A page as a file of the corpus: a few header lines, an empty line, the page's bytes as they came.

    Address: https://bakery.example/bread/
    Type: text/html; charset=utf-8
    ETag: "v1"

The file is whole in itself: whoever reads it knows where the page stands, and the validators
always belong to the bytes beside them.
"""

from dataclasses import dataclass, replace

from magpie.errors import DocumentRefused
from magpie.model import Document, Reading
from magpie.text.web_address import web_address

ENDING = ".page"
_READERS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "text/markdown": "markdown",
    "text/plain": "text",
}
PAGE_TYPES = tuple(_READERS)
_HEAD_BYTES = 16 * 1024
_NAMES = {
    "Address": "address",
    "Asked": "asked",
    "Canonical": "canonical",
    "Type": "media_type",
    "ETag": "etag",
    "Modified": "last_modified",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFile:
    """
    `address` is where the page stands. `asked` is where it is asked for, `canonical` what it
    calls itself, each where that is another address.
    """

    address: str
    media_type: str
    asked: str = ""
    canonical: str = ""
    etag: str = ""
    last_modified: str = ""
    body: bytes = b""

    @property
    def addresses(self) -> tuple[str, ...]:
        """All by which it is known."""
        return tuple(filter(None, (self.asked, self.address, self.canonical)))

    @property
    def reader(self) -> str:
        """The reader's name; empty for a type that none reads."""
        return _READERS.get(media_type(self.media_type), "")

    @property
    def charset(self) -> str:
        """What the server said the bytes are; empty where it didn't."""
        for parameter in self.media_type.split(";")[1:]:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip("\"'").lower()
        return ""


def media_type(content_type: str) -> str:
    """`text/html` of `Text/HTML; charset=utf-8`."""
    return content_type.partition(";")[0].strip().lower()


def packed(page: PageFile) -> bytes:
    """The file's bytes."""
    values = ((name, getattr(page, attribute)) for name, attribute in _NAMES.items())
    head = "".join(f"{name}: {value}\n" for name, value in values if value)
    return head.encode() + b"\n" + page.body


def page_file(path: str, raw: bytes) -> PageFile:
    """
    The page of a file's bytes.

    Raises: DocumentRefused `broken` where they are none.
    """
    head, empty, body = raw.partition(b"\n\n")
    said = dict(
        line.partition(": ")[::2] for line in head[:_HEAD_BYTES].decode("utf-8", "replace").split("\n")
    )
    values = {attribute: said.get(name, "") for name, attribute in _NAMES.items()}
    if not empty or not values["address"] or not values["media_type"]:
        reason = "is no page that Magpie has fetched; bring it in by its address again"
        raise DocumentRefused(path, "broken", reason)
    return PageFile(body=body, **{**values, "address": str(web_address(values["address"]))})


def document_of(document: Document, page: PageFile) -> Document:
    """The page's own bytes; an encoding that only the server told is taken off."""
    return replace(document, raw=_as_utf8(page) if page.reader == "html" else page.body)


def _as_utf8(page: PageFile) -> bytes:
    try:
        page.body.decode()
    except UnicodeDecodeError:
        charset = {"iso-8859-1": "windows-1252", "us-ascii": "windows-1252"}.get(page.charset, page.charset)
    else:
        return page.body
    try:
        return page.body.decode(charset, "replace").encode() if charset else page.body
    except LookupError:
        return page.body


def placed_reading(reading: Reading, page: PageFile, path: str) -> Reading:
    """The reading with the page's address, and its name for templates: `{page}`."""
    name = path.partition("/")[2].removesuffix(ENDING)
    return replace(reading, url=page.canonical or page.address, fields={**reading.fields, "page": name})


def canonical(address: str, said: str | None) -> str:
    """What a page calls its own address, where that is another one on the same host; else nothing."""
    own = web_address(address)
    try:
        found = web_address(own.origin + said if said and said.startswith("/") else said or "")
    except DocumentRefused:
        return ""
    return str(found) if found.place == own.place and found != own else ""
