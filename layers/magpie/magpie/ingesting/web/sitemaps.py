"""The addresses that a sitemap lists: XML, an index of others, or lines of text; packed or plain."""

from codecs import BOM_UTF8
from dataclasses import dataclass

from lxml import etree

from magpie.errors import DocumentRefused
from magpie.ingesting.web.page_file import media_type
from magpie.text.packing import unpacked

XML_TYPES = (
    "application/xml",
    "text/xml",
    "application/gzip",
    "application/x-gzip",
    "application/octet-stream",
)
MOST_ENTRIES = 50_000  # sitemaps.org
MOST_BYTES = 50 * 1024 * 1024  # sitemaps.org
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """`pages` and other `sitemaps`, as they are written."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def is_sitemap(content_type: str, address: str) -> bool:
    """Whether an answer is to be read as a sitemap and not as a page."""
    path = address.partition("?")[0].lower()
    is_text = media_type(content_type) == "text/plain" and path.rpartition("/")[2].startswith("sitemap")
    return media_type(content_type) in XML_TYPES or is_text


def sitemap_of(address: str, raw: bytes) -> Sitemap:
    """
    Raises: DocumentRefused `no_sitemap`, `too_large`.
    """
    plain = _plain(address, raw)
    if not plain.removeprefix(BOM_UTF8).lstrip().startswith(b"<"):
        lines = plain.decode("utf-8-sig", "replace").split()
        return Sitemap(
            pages=tuple(line for line in lines if line.startswith(("http://", "https://")))[:MOST_ENTRIES]
        )
    root = _root(address, plain)
    name = etree.QName(root).localname
    if name not in ("urlset", "sitemapindex"):
        raise DocumentRefused(address, "no_sitemap", f"is XML, but no sitemap: its root is <{name[:40]}>")
    listed = tuple(_addresses(root))[:MOST_ENTRIES]
    return Sitemap(pages=listed) if name == "urlset" else Sitemap(sitemaps=listed)


def _plain(address: str, raw: bytes) -> bytes:
    if not raw.startswith(_GZIP):
        return raw
    try:
        plain = unpacked(raw, MOST_BYTES)
    except ValueError as exc:
        raise DocumentRefused(address, "no_sitemap", str(exc)) from exc
    if len(plain) > MOST_BYTES:
        raise DocumentRefused(address, "too_large", "is larger than the 50 MB that a sitemap may have")
    return plain


def _root(address: str, plain: bytes) -> "etree._Element":
    # No entities, no DTD, no network: a sitemap needs none of them, an attack does.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        return etree.fromstring(plain.strip(), parser)
    except (etree.XMLSyntaxError, ValueError) as exc:
        raise DocumentRefused(address, "no_sitemap", f"is no XML: {exc}") from exc


def _addresses(root: "etree._Element") -> "list[str]":
    found = (entry.findtext("{*}loc") for entry in root if isinstance(entry.tag, str))
    return [text.strip() for text in found if text and text.strip()]
