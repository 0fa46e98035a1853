"""Settings and a site file to a ready refresh. Apart from `wiring`: it needs neither database nor models."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from magpie.adapters.web import SafeWeb, WebRules
from magpie.ingesting.refresh import Refresh
from magpie.ports import CorpusStore
from magpie.settings import FetchSettings
from magpie.site import Site

MEGABYTE = 1024 * 1024


def web_rules(site: Site, fetch: FetchSettings) -> WebRules:
    """The site's own host (with and without `www.`) and what the deployment names; the site's pace and limit."""
    own = site.own_hosts[0]
    twin = own.removeprefix("www.") if own.startswith("www.") else f"www.{own}"
    return WebRules(
        hosts=frozenset({own, twin}) | fetch.hosts,
        networks=fetch.networks,
        pause_s=site.web.pause_s,
        most_bytes=int(site.safety.max_file_mb * MEGABYTE),
    )


@asynccontextmanager
async def open_web(site: Site, fetch: FetchSettings) -> AsyncIterator[SafeWeb]:
    """What of the web this site may see."""
    async with SafeWeb(web_rules(site, fetch)) as web:
        yield web


@asynccontextmanager
async def open_refresh(
    site: Site, fetch: FetchSettings, files: CorpusStore, told: Callable[[str], None] = lambda address: None
) -> AsyncIterator[Refresh]:
    """The site's pages, over a corpus that may be written to."""
    async with open_web(site, fetch) as web:
        yield Refresh(site, web, files, clock=time.monotonic, told=told)
