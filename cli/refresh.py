"""`magpie refresh`: the site's pages looked at again; much change waits for the owner's `--accept`."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from cli.ingest import show_summary, summary_json
from cli.opening import Chosen, choose, environment
from cli.running import opened_site
from cli.showing import emit, out
from cli.web import asking, report_json, show_report, show_waiting, waiting_json
from infra.local.progress import shown
from magpie.adapters.corpus_folder import CorpusFolder
from magpie.ingesting.refresh import Waiting, WebReport
from magpie.ingesting.web.places import WEB_FOLDER
from magpie.model import IngestSummary, Selection
from magpie.settings import FetchSettings
from magpie.web_wiring import open_refresh


def run_refresh(accept: bool, site: Path | None, corpus: Path | None, json: bool) -> int:
    """0 also where the round waits: that is no failure, and the output says it."""
    env = environment()
    chosen = choose(site, corpus, env)
    return asyncio.run(_accept(chosen, env, json) if accept else _refresh(chosen, env, json))


async def _refresh(chosen: Chosen, env: Mapping[str, str], json: bool) -> int:
    with asking(json) as told:
        async with open_refresh(
            chosen.site, FetchSettings.from_env(env), CorpusFolder(chosen.corpus), told
        ) as refresh:
            report = await refresh.run()
            waiting = await refresh.waiting()
    summary = (
        await _ingested(chosen, env, json, accepted=False) if report.changes and not report.waits else None
    )
    if json:
        emit(
            report_json(report)
            | {"waiting": waiting_json(waiting), "ingest": summary_json(summary) if summary else None}
        )
    else:
        _show(chosen, report, waiting, summary)
    return 0


async def _accept(chosen: Chosen, env: Mapping[str, str], json: bool) -> int:
    async with open_refresh(chosen.site, FetchSettings.from_env(env), CorpusFolder(chosen.corpus)) as refresh:
        accepted = await refresh.accept()
    summary = await _ingested(chosen, env, json, accepted=True)
    if json:
        emit({"accepted": waiting_json(accepted), "ingest": summary_json(summary)})
        return 0
    name = chosen.site.site.name
    out.print(f"{name}: {len(accepted) or 'no'} waiting pages taken over", markup=False)
    show_waiting(accepted)
    show_summary(name, summary)
    return 0


async def _ingested(chosen: Chosen, env: Mapping[str, str], json: bool, *, accepted: bool) -> IngestSummary:
    """The pages into a version; what the owner accepted may also be a large removal."""
    selection = Selection(folder=WEB_FOLDER)
    async with opened_site(chosen, env) as runtime:
        if json:
            return await runtime.ingest(chosen.corpus).run(selection, accept_vanishing=accepted)
        with shown(chosen.site.site.name) as progress:
            return await runtime.ingest(chosen.corpus, progress).run(selection, accept_vanishing=accepted)


def _show(
    chosen: Chosen, report: WebReport, waiting: tuple[Waiting, ...], summary: IngestSummary | None
) -> None:
    name = chosen.site.site.name
    show_report(name, report)
    if report.waits:
        out.print(
            f"  {report.changed_share:.0%} of {report.known} known pages changed or are gone, more than "
            f"web.max_changed_share ({chosen.site.web.max_changed_share:.0%}) takes over unasked.\n"
            "  Nothing was changed. If that is right: magpie refresh --accept",
            style="yellow",
            markup=False,
        )
    elif waiting:
        out.print(f"  {len(waiting)} pages of an earlier round wait: magpie refresh --accept", markup=False)
    if summary:
        show_summary(name, summary)
