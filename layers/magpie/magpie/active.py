"""
The site that answers now: that of the active version, opened once, changed when the version changes.

A process that only serves has no site file. It reads the one that the active version was made
with, keeps its pipelines ready, and looks again after a while: a version with another site file
gets pipelines of its own, while answers that have begun keep those they began with.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from magpie.adapters.postgres import Database, PostgresCatalogue
from magpie.errors import DatabaseUnavailable, MagpieError
from magpie.settings import Settings
from magpie.site import Site, load_site
from magpie.wiring import SiteRuntime, open_site

logger = logging.getLogger("magpie.active")

RELOOK_S = 10.0
PATIENCE_S = 3.0
"""How long a request waits for a first look at a database that may be waking up."""
GLANCE_S = 1.0
"""How long a request waits for a later look: the site that is open will do."""

Opening = Callable[[Settings, Site], AbstractAsyncContextManager[SiteRuntime]]
Made = TypeVar("Made")


class Waking(DatabaseUnavailable):
    """The database has not answered yet; the attempt goes on, and the next request may find it awake."""


@dataclass(slots=True, kw_only=True)
class _Held(Generic[Made]):
    """Open pipelines, how many answers use them, and whether newer ones took their place."""

    runtime: SiteRuntime
    made: Made
    site_hash: str
    context: AbstractAsyncContextManager[SiteRuntime]
    users: int = 0
    is_replaced: bool = False


class ActiveSite(Generic[Made]):
    """
    One for a process. `opening` opens a site's pipelines, `make` makes of them what requests are
    answered with; `monotonic` tells when to look again.
    """

    def __init__(
        self,
        settings: Settings,
        make: Callable[[SiteRuntime], Made],
        *,
        opening: Opening = open_site,
        monotonic: Callable[[], float] = time.monotonic,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._settings = settings
        self._make = make
        self._opening = opening
        self._monotonic = monotonic
        self._patience_s = patience_s
        self._held: _Held[Made] | None = None
        self._looked_at = 0.0
        self._first: asyncio.Task[_Held[Made]] | None = None

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[Made]:
        """
        What was made of the active site, kept open for as long as the context lasts.

        Raises: Waking; DatabaseUnavailable; CorpusInvalid before anything is published;
        SettingsInvalid where the site file asks for a key that is not there.
        """
        held = await self._current()
        held.users += 1
        try:
            yield held.made
        finally:
            held.users -= 1
            await _close_if_done(held)

    async def close(self) -> None:
        """Gives everything back."""
        if self._first is not None:
            self._first.cancel()
            await asyncio.wait({self._first})
        if self._held is not None:
            self._held.is_replaced = True
            await _close_if_done(self._held)
            self._held = None

    async def _current(self) -> _Held[Made]:
        if self._held is None:
            return await self._opened_first()
        if self._monotonic() - self._looked_at >= RELOOK_S:
            self._looked_at = self._monotonic()
            await self._look_again(self._held)
        return self._held

    async def _opened_first(self) -> _Held[Made]:
        if self._first is None:
            self._first = asyncio.ensure_future(self._open_active())
        first = self._first
        done, _ = await asyncio.wait({first}, timeout=self._patience_s)
        if not done:
            raise Waking("the database has not answered yet")
        self._first = None
        if self._held is None:
            self._held, self._looked_at = first.result(), self._monotonic()
        return self._held

    async def _open_active(self) -> _Held[Made]:
        async with Database(self._settings.database_url, size=1) as database:
            catalogue = PostgresCatalogue(database)
            version = await catalogue.active_version()
            text = await catalogue.site_text(version.id)
        return await self._open(text, version.site_hash)

    async def _open(self, text: str, site_hash: str) -> _Held[Made]:
        context = self._opening(self._settings, load_site(text))
        runtime = await context.__aenter__()
        return _Held(runtime=runtime, made=self._make(runtime), site_hash=site_hash, context=context)

    async def _look_again(self, held: _Held[Made]) -> None:
        """A look that fails changes nothing: the site that is open still answers, or says why not."""
        try:
            async with asyncio.timeout(GLANCE_S):
                text, site_hash = await _if_changed(held.runtime.catalogue, held.site_hash)
            if not text:
                return
            newer = await self._open(text, site_hash)
        except (MagpieError, TimeoutError) as exc:
            logger.warning("the active site could not be looked at", extra={"kind": type(exc).__name__})
            return
        self._held, held.is_replaced = newer, True
        logger.info("the site file changed", extra={"site_hash": site_hash})
        await _close_if_done(held)


async def _if_changed(catalogue: PostgresCatalogue, known: str) -> tuple[str, str]:
    """Text and hash of the active version's site file; no text where it is the known one."""
    version = await catalogue.active_version()
    if version.site_hash == known:
        return "", known
    return await catalogue.site_text(version.id), version.site_hash


async def _close_if_done(held: _Held[Made]) -> None:
    if held.is_replaced and held.users == 0:
        await held.context.__aexit__(None, None, None)
