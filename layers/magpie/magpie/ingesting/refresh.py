"""
A website's pages looked at again.

    entries  the addresses that the site file or the owner names: pages, sitemaps
    visits   first the known pages that no sitemap lists (they may have moved), then the listed ones
    wait     where much changed or vanished, nothing is taken over until the owner accepts it

What is found lies in `.waiting/` first, page by page, so that a run of any length needs no memory
and one that dies leaves the corpus as it was; then all of it is moved into the corpus, or left.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from magpie.errors import DocumentRefused
from magpie.ingesting.web.page_file import page_file
from magpie.ingesting.web.places import WAITING_FOLDER, WEB_FOLDER
from magpie.ingesting.web.visiting import Became, KnownPages, Visit, Visited, known_pages
from magpie.ports import CorpusStore, Web
from magpie.site import Site
from magpie.text.web_address import web_address

LEFT_FILE = ".web-left.json"
NO_END = float("inf")
UNASKED = frozenset({"not_allowed", "bad_address"})  # such an address costs no request


@dataclass(frozen=True, slots=True, kw_only=True)
class WebReport:
    """
    What a round found. `left` addresses it had no time or no room for; `waits` says that nothing
    was taken over because too much changed.
    """

    visited: tuple[Visited, ...] = ()
    left: int = 0
    waits: bool = False

    def of(self, *kinds: Became) -> tuple[Visited, ...]:
        return tuple(one for one in self.visited if one.became in kinds)

    @property
    def changes(self) -> tuple[Visited, ...]:
        return self.of(Became.ADDED, Became.CHANGED, Became.MOVED, Became.GONE)

    @property
    def known(self) -> int:
        """Pages of the corpus that were asked about: all of them, unless the round was cut short."""
        return sum(bool(one.path) and one.became is not Became.ADDED for one in self.visited)

    @property
    def changed_share(self) -> float:
        """Those of them that changed or are gone."""
        return len(self.of(Became.CHANGED, Became.GONE)) / self.known if self.known else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A page that waits for the owner; `address` is empty where it would be removed."""

    path: str
    address: str


class Refresh:
    """One site's pages. `told` hears of each address before it is asked; `clock` is in seconds."""

    def __init__(
        self,
        site: Site,
        web: Web,
        files: CorpusStore,
        *,
        clock: Callable[[], float],
        told: Callable[[str], None] = lambda address: None,
    ) -> None:
        self._site = site
        self._web = web
        self._files = files
        self._clock = clock
        self._told = told

    async def bring(self, address: str) -> WebReport:
        """
        The page or the sitemap's pages at this address, written at once: the owner asked for them.

        Raises: DocumentRefused where the address itself gives nothing.
        """
        known = await known_pages(self._files)
        visit = Visit(self._site.web, self._web, self._files, known, told=self._told)
        first, listed = await visit.entry(address)
        _check_entry(first, listed)
        queue = [*_unlisted(known, listed, _places(listed)), *listed] if listed else []
        return await self._round(visit, first, queue, NO_END)

    async def run(self, *, until: float = NO_END) -> WebReport:
        """
        All known pages and the site file's addresses. What `until` (of the clock) leaves no time for
        is where the next run begins.
        """
        known = await known_pages(self._files)
        visit = Visit(
            self._site.web,
            self._web,
            self._files,
            known,
            place=lambda path: WAITING_FOLDER + path,
            leaves_marks=True,
            told=self._told,
        )
        left = await self._left() if until != NO_END else []
        first, queue = ([], left) if left else await self._queue(visit, known)
        report = await self._round(visit, first, queue, until)
        await self._forget_waiting(report)
        if report.changed_share > self._site.web.max_changed_share:
            return replace(report, waits=True)
        await self._take_over(one.path for one in report.changes)
        return report

    async def waiting(self) -> tuple[Waiting, ...]:
        """What a run found and didn't take over."""
        found = []
        for path in await self._waiting_paths():
            raw = (await self._files.read(WAITING_FOLDER + path)).raw
            found.append(Waiting(path=path, address=page_file(path, raw).address if raw else ""))
        return tuple(found)

    async def accept(self) -> tuple[Waiting, ...]:
        """Take over what waits; it is told what that was. May be done again after a power cut."""
        accepted = await self.waiting()
        await self._take_over(one.path for one in accepted)
        return accepted

    # A round

    async def _queue(self, visit: Visit, known: KnownPages) -> tuple[list[Visited], list[str]]:
        """All that is to be asked about; what the entries themselves gave comes with it."""
        first: list[Visited] = []
        listed: list[str] = []
        for address in self._site.web.addresses:
            seen, some = await visit.entry(address)
            first += seen
            listed += some
        return first, [*_unlisted(known, listed, None), *listed]

    async def _round(
        self, visit: Visit, first: Sequence[Visited], queue: Sequence[str], until: float
    ) -> WebReport:
        visited = list(first)
        left: list[str] = []
        count = len(visited)
        for position, address in enumerate(queue):
            if count >= self._site.web.max_pages or self._clock() >= until:
                left = list(queue[position:])
                break
            if one := await visit.page(address):
                visited.append(one)
                count += one.code not in UNASKED
        if until != NO_END:
            await self._leave(left)
        return WebReport(visited=tuple(visited), left=len(left))

    async def _left(self) -> list[str]:
        try:
            return [str(address) for address in json.loads((await self._files.read(LEFT_FILE)).raw)]
        except (DocumentRefused, ValueError):
            return []

    async def _leave(self, addresses: Sequence[str]) -> None:
        if addresses:
            await self._files.write(LEFT_FILE, json.dumps(list(addresses)).encode())
        else:
            await self._files.remove(LEFT_FILE)

    # What waits

    async def _waiting_paths(self) -> list[str]:
        return [
            path.removeprefix(WAITING_FOLDER)
            async for path, _ in self._files.paths()
            if path.startswith(WAITING_FOLDER + WEB_FOLDER)
        ]

    async def _forget_waiting(self, report: WebReport) -> None:
        """What waited since an earlier run, and is not so any more."""
        same = {one.path for one in report.of(Became.SAME)}
        for path in await self._waiting_paths():
            if path in same:
                await self._files.remove(WAITING_FOLDER + path)

    async def _take_over(self, paths: Iterable[str]) -> None:
        waiting = set(await self._waiting_paths())
        for path in dict.fromkeys(paths):
            if path not in waiting:
                continue
            await self._take(path)

    async def _take(self, path: str) -> None:
        """Into the corpus first, out of the waiting room then: stopped between the two, it is done again."""
        try:
            raw = (await self._files.read(WAITING_FOLDER + path)).raw
        except DocumentRefused:  # another round at the same time has taken it
            return
        if raw:
            await self._files.write(path, raw)
        else:
            await self._files.remove(path)
        await self._files.remove(WAITING_FOLDER + path)


def _check_entry(first: Sequence[Visited], listed: Sequence[str]) -> None:
    if not listed and len(first) == 1 and first[0].became is Became.FAILED:
        raise DocumentRefused(first[0].address, first[0].code, first[0].reason)


def _places(addresses: Sequence[str]) -> set[str]:
    found = set()
    for address in addresses:
        try:
            found.add(web_address(address).place)
        except DocumentRefused:
            continue
    return found


def _unlisted(known: KnownPages, listed: Sequence[str], places: set[str] | None) -> list[str]:
    """Known pages that are not listed (of these places only): they come first, for they may have moved."""
    paths = {known.path_of(_normal(address)) for address in listed}
    return [
        page.asked or page.address
        for path, page in known.by_path.items()
        if path not in paths and (places is None or web_address(page.address).place in places)
    ]


def _normal(address: str) -> str:
    try:
        return str(web_address(address))
    except DocumentRefused:
        return address
