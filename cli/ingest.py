"""`magpie ingest`: documents to a new active version, with progress and a summary."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cli.opening import Chosen, choose, environment
from cli.running import key_of, opened_site
from cli.showing import emit, out
from cli.web import MOST_LINES, brought, dead_links, report_json, show_more, show_report
from infra.local.problems import LocalProblem
from infra.local.progress import shown, summary_line
from magpie.ingesting.refresh import WebReport
from magpie.ingesting.told import summary_told
from magpie.ingesting.web.places import WEB_FOLDER
from magpie.model import IngestSummary, Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """
    `dry_run` tells what would be; `accept_vanishing` lets many sources go, `skip_gate` a worse draft, `check_links`
    asks afterwards whether the links of the live version lead somewhere.
    """

    dry_run: bool = False
    accept_vanishing: bool = False
    skip_gate: bool = False
    check_links: bool = False


def run(
    everything: bool,
    source: str,
    file: str,
    site: Path | None,
    corpus: Path | None,
    json: bool,
    how: How = How(),
    url: str = "",
) -> int:
    """0 when the run ended; refused documents are told, not failed."""
    selection = selected(everything, source, file, url)
    env = environment()
    chosen = choose(site, corpus, env)
    report = asyncio.run(_bring(chosen, env, url, json, how)) if url else None
    summary = asyncio.run(_ingest(chosen, _inside(selection, chosen.corpus), env, json, how))
    if json:
        emit(summary_json(summary) | ({"web": report_json(report)} if report else {}))
        return 0
    if report:
        show_report(chosen.site.site.name, report)
    show_summary(chosen.site.site.name, summary, how)
    return 0


async def _bring(chosen: Chosen, env: Mapping[str, str], url: str, json: bool, how: How) -> WebReport:
    if how.dry_run:
        raise LocalProblem("--url writes the pages into the corpus first, so it can't be a --dry-run")
    return await brought(chosen, env, url, json)


async def _ingest(
    chosen: Chosen, selection: Selection, env: Mapping[str, str], json: bool, how: How
) -> IngestSummary:
    options = {
        "dry_run": how.dry_run,
        "accept_vanishing": how.accept_vanishing,
        "skip_gate": how.skip_gate,
    }
    async with opened_site(chosen, env) as runtime:
        if json:
            summary = await runtime.ingest(chosen.corpus).run(selection, **options)
        else:
            with shown(chosen.site.site.name) as progress:
                summary = await runtime.ingest(chosen.corpus, progress).run(selection, **options)
        if not how.check_links:
            return summary
        return replace(summary, notices=summary.notices + await dead_links(runtime, json))


def selected(everything: bool, source: str, file: str, url: str = "") -> Selection:
    """What the options choose. Raises: LocalProblem unless exactly one of them does."""
    if sum((everything, bool(source), bool(file), bool(url))) != 1:
        raise LocalProblem(
            "say what to ingest: --all, --source TYPE:KEY, --file PATH or --url ADDRESS, one of them"
        )
    if url:
        return Selection(folder=WEB_FOLDER)
    if source:
        return Selection(source=key_of(source, "--source"))
    return Selection(file=file or None)


def _inside(selection: Selection, corpus: Path) -> Selection:
    """The file as a path of the corpus, also where it was typed as a path of this machine."""
    if selection.file is None:
        return selection
    typed = Path(selection.file)
    candidates = [typed if typed.is_absolute() else corpus / typed, typed.absolute()]
    for candidate in candidates:
        if candidate.exists() and candidate.resolve().is_relative_to(corpus):
            return Selection(file=candidate.resolve().relative_to(corpus).as_posix())
    return selection  # perhaps it was deleted; the run knows what it had held


def summary_json(summary: IngestSummary) -> dict[str, Any]:
    """The summary for machines."""
    return summary_told(summary) | {"seconds": round(summary.seconds, 2)}


def show_summary(name: str, summary: IngestSummary, how: How = How()) -> None:
    out.print(summary_line(name, summary), markup=False)
    if how.dry_run:
        _show_plan(summary)
    for refusal in summary.refused[:MOST_LINES]:
        out.print(f"  refused  {refusal.path}: {refusal.reason}", style="yellow", markup=False)
    show_more(len(summary.refused))
    for path, notice in summary.notices[:MOST_LINES]:
        out.print(f"  notice   {path}: {notice.message}", style="dim", markup=False)
    show_more(len(summary.notices))
    if summary.version_id is not None:
        out.print(
            f"  version {summary.version_id} is active, {summary.chunks} passages", style="dim", markup=False
        )


def _show_plan(summary: IngestSummary) -> None:
    """What a run would do, source by source."""
    for sign, keys in (("+", summary.added), ("~", summary.changed), ("-", summary.removed)):
        for key in keys:
            out.print(f"  {sign} {key}", markup=False)
    out.print("  a dry run: nothing was embedded or published", style="dim")
