"""Pages brought in by their address: fetching with its progress, and what came of it in words."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from cli.opening import Chosen
from cli.showing import err, out
from magpie.adapters.corpus_folder import CorpusFolder
from magpie.ingesting.link_check import check_links
from magpie.ingesting.refresh import Waiting, WebReport
from magpie.ingesting.web.visiting import Became, Visited
from magpie.model import Notice
from magpie.settings import FetchSettings
from magpie.web_wiring import open_links, open_refresh
from magpie.wiring import SiteRuntime

MOST_LINES = 20
_CHANGES = (Became.ADDED, Became.CHANGED, Became.MOVED, Became.GONE)


async def brought(chosen: Chosen, env: Mapping[str, str], address: str, json: bool) -> WebReport:
    """`magpie ingest --url`: a page or the pages of a sitemap, into the corpus folder."""
    fetch = FetchSettings.from_env(env)
    with asking(json) as told:
        async with open_refresh(chosen.site, fetch, CorpusFolder(chosen.corpus), told) as refresh:
            return await refresh.bring(address)


async def dead_links(runtime: SiteRuntime, json: bool) -> tuple[tuple[str, Notice], ...]:
    """`magpie ingest --check-links`: a notice for each link of the live version that leads nowhere."""
    version = await runtime.catalogue.active_version()
    with asking(json) as told:
        async with open_links(runtime.site, runtime.settings.fetch) as (web, hosts):
            found = await check_links(
                runtime.catalogue,
                runtime.passages,
                web,
                version,
                hosts=hosts,
                most=runtime.site.web.max_pages,
                told=told,
            )
    left = f", {found.left} more were not (web.max_pages)" if found.left else ""
    counted = Notice(code="links_checked", message=f"{found.asked} addresses were asked{left}")
    return (*found.dead, ("links", counted))


@contextlib.contextmanager
def asking(json: bool) -> Iterator[Callable[[str], None]]:
    """Shows which address is being asked; nothing for machines."""
    if json:
        yield lambda address: None
        return
    with err.status("asking") as status:
        yield lambda address: status.update(f"asking {address}", spinner_style="dim")


def report_json(report: WebReport) -> dict[str, Any]:
    """The round for machines."""
    return {
        **{str(kind): [_page_json(one) for one in report.of(kind)] for kind in _CHANGES},
        "same": len(report.of(Became.SAME)),
        "failed": [
            {"address": one.address, "code": one.code, "reason": one.reason}
            for one in report.of(Became.FAILED)
        ],
        "left": report.left,
        "waits": report.waits,
    }


def _page_json(one: Visited) -> dict[str, str]:
    return {"address": one.address, "path": one.path} | ({"reason": one.reason} if one.reason else {})


def waiting_json(waiting: Sequence[Waiting]) -> list[dict[str, Any]]:
    return [{"path": one.path, "address": one.address or None} for one in waiting]


def show_report(name: str, report: WebReport) -> None:
    counts = [(len(report.of(kind)), str(kind)) for kind in (*_CHANGES, Became.SAME, Became.FAILED)]
    parts = [f"{count} {word}" for count, word in counts if count] or ["nothing to ask"]
    out.print(f"{name}, pages of the web: {', '.join(parts)}", markup=False)
    changes = report.of(*_CHANGES)
    for one in changes[:MOST_LINES]:
        why = f" ({one.reason})" if one.reason else ""
        out.print(f"  {one.became:<8} {one.address}{why}", style="dim", markup=False)
    show_more(len(changes))
    failed = report.of(Became.FAILED)
    for one in failed[:MOST_LINES]:
        out.print(f"  failed   {one.address}: {one.reason}", style="yellow", markup=False)
    show_more(len(failed))
    if report.left:
        out.print(
            f"  {report.left} more addresses were not asked: web.max_pages of the site file is reached",
            style="yellow",
            markup=False,
        )


def show_waiting(waiting: Sequence[Waiting]) -> None:
    for one in waiting[:MOST_LINES]:
        out.print(
            f"  {'changed' if one.address else 'gone':<8} {one.address or one.path}",
            style="dim",
            markup=False,
        )
    show_more(len(waiting))


def show_more(count: int) -> None:
    """That a list was cut."""
    if count > MOST_LINES:
        out.print(f"  ... and {count - MOST_LINES} more; --json lists all", style="dim")
