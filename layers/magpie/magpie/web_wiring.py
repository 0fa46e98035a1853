"""
Settings and a site file to what is brought in from elsewhere: pages of the web, rows of databases.
Apart from `wiring`, since it needs neither Magpie's own database nor models.
"""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from magpie.adapters.postgres.owner_rows import OwnerRows
from magpie.adapters.web import SafeWeb, WebRules
from magpie.adapters.web.json_rows import json_pages
from magpie.ingesting.refresh import Refresh
from magpie.ingesting.rows import CorpusWithRows
from magpie.ports import CorpusFiles, CorpusStore
from magpie.settings import FetchSettings
from magpie.site import Rows, Site
from magpie.text.web_address import place_named

MEGABYTE = 1024 * 1024


def web_rules(site: Site, fetch: FetchSettings) -> WebRules:
    """
    The site's own host (with and without `www.`) and what the deployment names; the site's pace and
    limit. Only hosts that the deployment names may be private: the own one is the site file's word.
    """
    own = place_named(site.own_hosts[0])
    twin = own.removeprefix("www.") if own.startswith("www.") else f"www.{own}"
    named = frozenset(place_named(host) for host in fetch.hosts)
    return WebRules(
        hosts=frozenset({own, twin}) | named,
        inside=named,
        networks=fetch.networks,
        pause_s=site.web.pause_s,
        most_bytes=int(site.safety.max_file_mb * MEGABYTE),
        contact=site.site.url if site.site.url.isascii() else "",
    )


@asynccontextmanager
async def open_web(site: Site, fetch: FetchSettings) -> AsyncIterator[SafeWeb]:
    """What of the web this site may see."""
    async with SafeWeb(web_rules(site, fetch)) as web:
        yield web


@asynccontextmanager
async def open_links(site: Site, fetch: FetchSettings) -> AsyncIterator[tuple[SafeWeb, frozenset[str]]]:
    """The web for a look at links, and its hosts: also those that answers may link to."""
    rules = web_rules(site, fetch)
    rules = replace(rules, hosts=rules.hosts | frozenset(place_named(host) for host in site.own_hosts))
    async with SafeWeb(rules) as web:
        yield web, rules.hosts


@asynccontextmanager
async def open_refresh(
    site: Site, fetch: FetchSettings, files: CorpusStore, told: Callable[[str], None] = lambda address: None
) -> AsyncIterator[Refresh]:
    """The site's pages, over a corpus that may be written to."""
    async with open_web(site, fetch) as web:
        yield Refresh(site, web, files, clock=time.monotonic, told=told)


class RowsOf:
    """The `RowReader` port: databases that the deployment names, JSON APIs of hosts that it lets in."""

    def __init__(self, site: Site, fetch: FetchSettings) -> None:
        self._site = site
        self._fetch = fetch

    async def pages(self, path: str, rows: Rows) -> AsyncGenerator[Sequence[Mapping[str, Any]], None]:
        """Raises: DocumentRefused, as the port says."""
        if rows.query:
            async for page in OwnerRows(self._fetch.rows).pages(path, rows):
                yield page
            return
        rule = self._site.rule_for(path)
        at = rule.records.at if rule and rule.records else ""
        async with open_web(self._site, self._fetch) as web:
            async for page in json_pages(web, path, rows, at):
                yield page


def with_rows(files: CorpusFiles, site: Site, fetch: FetchSettings) -> CorpusFiles:
    """The corpus with what its site file names rows for."""
    if not any(rule.rows for rule in site.sources):
        return files
    return CorpusWithRows(files, site, RowsOf(site, fetch))
