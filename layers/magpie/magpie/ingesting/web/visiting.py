"""
Pages asked about, one by one and never twice.

A page is known by every address that it had: where it was asked for, where redirects ended, what it
calls itself. So it stays the same page when it moves, and two addresses of one page are one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from magpie.errors import DocumentRefused
from magpie.ingesting.readers import html
from magpie.ingesting.reading import LONG_BYTES
from magpie.ingesting.web.page_file import PAGE_TYPES, PageFile, canonical, document_of, packed, page_file
from magpie.ingesting.web.places import WEB_FOLDER, place_of
from magpie.ingesting.web.sitemaps import XML_TYPES, Sitemap, is_sitemap, sitemap_of
from magpie.model import Document, WebAnswer, WebFailed, WebFound, WebGone, WebRequest, WebUnchanged
from magpie.ports import CorpusFiles, CorpusStore, Web
from magpie.site import WebPages, matches
from magpie.text.web_address import web_address

MOST_SITEMAPS = 50
LEFT_OUT = "is left out by web.include or web.exclude of the site file"


class Became(StrEnum):
    """What a visit found."""

    ADDED = "added"
    CHANGED = "changed"
    MOVED = "moved"
    SAME = "same"
    GONE = "gone"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visited:
    """One page. `code` and `reason` say why it failed or is gone."""

    address: str
    became: Became
    path: str = ""
    code: str = ""
    reason: str = ""


@dataclass(slots=True, kw_only=True)
class KnownPages:
    """The pages of the corpus, without their bytes, by their place and by every address of theirs."""

    by_path: dict[str, PageFile] = field(default_factory=dict)
    by_address: dict[str, str] = field(default_factory=dict)

    def put(self, path: str, page: PageFile) -> None:
        self.by_path[path] = replace(page, body=b"")
        for address in page.addresses:
            self.by_address.setdefault(address, path)

    def path_of(self, *addresses: str) -> str:
        """The place of the first address that is known; empty where none is."""
        return next((self.by_address[one] for one in addresses if one in self.by_address), "")


async def known_pages(files: CorpusFiles) -> KnownPages:
    """What the corpus holds. A damaged page file counts as none: it is fetched anew."""
    known = KnownPages()
    async for path, _ in files.paths():
        if path.startswith(WEB_FOLDER) and path.endswith(".page"):
            try:
                known.put(path, page_file(path, (await files.read(path)).raw))
            except DocumentRefused:
                continue
    return known


class Visit:
    """
    One round. Pages that are new or changed are written to `place(path)`, with removals as empty
    files where `leaves_marks`, and really removed where not.
    """

    def __init__(
        self,
        rules: WebPages,
        web: Web,
        files: CorpusStore,
        known: KnownPages,
        *,
        place: Callable[[str], str] = lambda path: path,
        leaves_marks: bool = False,
        told: Callable[[str], None] = lambda address: None,
    ) -> None:
        self._rules = rules
        self._web = web
        self._files = files
        self._known = known
        self._place = place
        self._leaves_marks = leaves_marks
        self._told = told
        self._seen: set[str] = set()
        self._asked: set[str] = set()

    async def entry(self, address: str) -> tuple[list[Visited], list[str]]:
        """An address that an owner named: a page, which is visited, or a sitemap, whose pages are listed."""
        try:
            normal = str(web_address(address))
        except DocumentRefused as exc:
            return [_failed(address, exc)], []
        self._told(normal)
        request = self._request(normal, (*PAGE_TYPES, *XML_TYPES))
        answer = await self._web.ask(request)
        if isinstance(answer, WebFound) and is_sitemap(answer.media_type, answer.address):
            return await self._listed(answer)
        self._asked |= {normal, request.address}
        if not self.is_wanted(request.address):
            return [await self._unwanted(request.address) or _left_out(request.address)], []
        return [await self._answered(request.address, answer)], []

    async def page(self, address: str) -> Visited | None:
        """One page; None where it was visited in this round already."""
        try:
            normal = str(web_address(address))
        except DocumentRefused as exc:
            return _failed(address, exc)
        if normal in self._asked or self._known.path_of(normal) in self._seen:
            return None
        self._asked.add(normal)
        if not self.is_wanted(normal):
            return await self._unwanted(normal)
        self._told(normal)
        request = self._request(normal, PAGE_TYPES)
        self._asked.add(request.address)
        return await self._answered(request.address, await self._web.ask(request))

    def is_wanted(self, address: str) -> bool:
        """As the site file's `include` and `exclude` have it, over the address' path."""
        path = web_address(address).path
        is_included = any(_fits(pattern, path) for pattern in self._rules.include)
        return is_included and not any(_fits(pattern, path) for pattern in self._rules.exclude)

    # Sitemaps

    async def _listed(self, answer: WebFound) -> tuple[list[Visited], list[str]]:
        """A sitemap's pages, and those of the sitemaps that it lists (not deeper: indexes hold no indexes)."""
        try:
            first = sitemap_of(answer.address, answer.raw)
        except DocumentRefused as exc:
            return [_failed(answer.address, exc)], []
        failed: list[Visited] = []
        pages = list(first.pages)
        for address in first.sitemaps[:MOST_SITEMAPS]:
            try:
                pages += (await self._sitemap(address)).pages
            except DocumentRefused as exc:
                failed.append(_failed(address, exc))
        if len(first.sitemaps) > MOST_SITEMAPS:
            reason = f"lists {len(first.sitemaps)} sitemaps; only {MOST_SITEMAPS} were read"
            failed.append(_failed(answer.address, DocumentRefused(answer.address, "too_many", reason)))
        return failed, list(dict.fromkeys(pages))

    async def _sitemap(self, address: str) -> Sitemap:
        answer = await self._web.ask(WebRequest(address=address, kinds=(*XML_TYPES, "text/plain")))
        match answer:
            case WebFound():
                return sitemap_of(answer.address, answer.raw)
            case WebFailed():
                raise DocumentRefused(address, answer.code, answer.reason)
            case _:
                raise DocumentRefused(address, "gone", "is not there")

    # One page

    def _request(self, address: str, kinds: tuple[str, ...]) -> WebRequest:
        """A page that is held is asked for where it answered last, and only if it has changed."""
        held = self._known.by_path.get(self._known.path_of(address))
        if held is None:
            return WebRequest(address=address, kinds=kinds)
        return WebRequest(
            address=held.asked or held.address, kinds=kinds, etag=held.etag, last_modified=held.last_modified
        )

    async def _answered(self, asked: str, answer: WebAnswer) -> Visited:
        path = self._known.path_of(asked)
        self._seen |= {path} if path else set()
        match answer:
            case WebFound():
                return await self._found(asked, answer)
            case WebUnchanged() if path:
                return await self._unchanged(path, answer)
            case WebGone() if path:
                return await self._gone(path, asked, "gone", f"answers {answer.status}")
            case WebGone():
                return Visited(
                    address=asked, became=Became.FAILED, code="gone", reason=f"answers {answer.status}"
                )
            case WebFailed():
                return Visited(
                    address=asked, path=path, became=Became.FAILED, code=answer.code, reason=answer.reason
                )
        reason = "says that nothing changed, but nothing was held"
        return Visited(address=asked, became=Became.FAILED, code="status", reason=reason)

    async def _found(self, asked: str, answer: WebFound) -> Visited:
        page = _page_of(asked, answer)
        path, other = self._known.path_of(asked), self._known.path_of(page.address, page.canonical)
        if not self.is_wanted(page.address):
            return await self._unwanted(asked) or _left_out(page.address)
        if path and other and other != path:
            reason = f"is {page.canonical or page.address} now, which is known"
            return await self._gone(path, asked, "moved", reason)
        if path:
            return await self._compared(asked, path, page)
        if other:
            return await self._alias(asked, other)
        path = place_of(web_address(page.canonical or page.address), self._known.by_path)
        self._seen.add(path)
        return await self._keep(path, page, Became.ADDED)

    async def _alias(self, asked: str, path: str) -> Visited:
        """Another address of a known page: the page is looked at under its own, and stays what it is."""
        own = self._known.by_path[path].addresses[0]
        return await self.page(own) or Visited(address=asked, path=path, became=Became.SAME)

    async def _compared(self, asked: str, path: str, page: PageFile) -> Visited:
        held = await self._whole(path)
        if held is None or not _says_the_same(path, held, page):
            return await self._keep(path, page, Became.CHANGED)
        if (page.address, page.canonical) != (held.address, held.canonical):
            return await self._keep(path, page, Became.MOVED)
        if replace(page, body=b"") != replace(held, body=b""):  # the next visit asks with what is valid now
            await self._files.write(path, packed(page))
        return Visited(address=asked, path=path, became=Became.SAME)

    async def _unchanged(self, path: str, answer: WebUnchanged) -> Visited:
        held = await self._whole(path)
        if held is None or held.address == answer.address:
            return Visited(address=answer.address, path=path, became=Became.SAME)
        asked = "" if answer.moved else held.asked or held.address
        return await self._keep(path, replace(held, address=answer.address, asked=asked), Became.MOVED)

    async def _keep(self, path: str, page: PageFile, became: Became) -> Visited:
        await self._files.write(self._place(path), packed(page))
        self._known.put(path, page)
        return Visited(address=page.address, path=path, became=became)

    async def _gone(self, path: str, address: str, code: str, reason: str) -> Visited:
        if self._leaves_marks:
            await self._files.write(self._place(path), b"")
        else:
            await self._files.remove(path)
        return Visited(address=address, path=path, became=Became.GONE, code=code, reason=reason)

    async def _unwanted(self, address: str) -> Visited | None:
        """A page that the site file leaves out now goes; one that never came in is nobody's business."""
        path = self._known.path_of(address)
        if not path:
            return None
        self._seen.add(path)
        return await self._gone(path, address, "left_out", LEFT_OUT)

    async def _whole(self, path: str) -> PageFile | None:
        try:
            return page_file(path, (await self._files.read(path)).raw)
        except DocumentRefused:
            return None


def _page_of(asked: str, answer: WebFound) -> PageFile:
    """`asked` is kept while a redirect is for now; one for good is followed once."""
    page = PageFile(
        address=answer.address,
        asked="" if answer.moved or asked == answer.address else asked,
        media_type=_printable(answer.media_type),
        etag=answer.etag,
        last_modified=answer.last_modified,
        body=answer.raw,
    )
    if page.reader != "html":
        return page
    return replace(page, canonical=canonical(page.address, html.canonical_address(_document("", page))))


def _left_out(address: str) -> Visited:
    return Visited(address=address, became=Became.FAILED, code="left_out", reason=LEFT_OUT)


def _printable(text: str) -> str:
    return "".join(char for char in text[:200] if char.isprintable())


def _says_the_same(path: str, held: PageFile, page: PageFile) -> bool:
    """Whether a reader would find the same: a page may come with another nonce each time. A long one is not asked."""
    if (held.body, held.media_type) == (page.body, page.media_type):
        return True
    is_short = max(len(held.body), len(page.body)) < LONG_BYTES["html"]
    return is_short and held.reader == page.reader == "html" and _read(path, held) == _read(path, page)


def _read(path: str, page: PageFile) -> object:
    try:
        (reading,) = html.read(_document(path, page))
    except DocumentRefused as exc:
        return exc.code
    return reading.text, reading.title, reading.published, reading.language


def _document(path: str, page: PageFile) -> Document:
    return document_of(Document(path=path, raw=b"", raw_hash=""), page)


def _failed(address: str, refusal: DocumentRefused) -> Visited:
    return Visited(address=address[:200], became=Became.FAILED, code=refusal.code, reason=refusal.reason)


def _fits(pattern: str, path: str) -> bool:
    return matches(pattern.strip("/"), path.strip("/")) or matches(
        f"{pattern.strip('/')}/**", path.strip("/")
    )
