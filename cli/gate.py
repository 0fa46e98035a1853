"""`magpie gate`: the site's own questions asked of a draft, or of a kept version, against the active one."""

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cli.opening import Chosen, choose, environment
from cli.running import opened_site
from cli.showing import emit, out
from infra.local.problems import LocalProblem
from infra.local.progress import shown
from magpie.adapters.corpus_folder import CorpusFolder
from magpie.examining import SiteGate
from magpie.ingesting.run import silent
from magpie.model import GateReport, VersionId
from magpie.ports import Progress
from magpie.wiring import SiteRuntime


def run_gate(version: int | None, site: Path | None, corpus: Path | None, json: bool) -> int:
    """0 where the draft may be published, 1 where it lost too much."""
    env = environment()
    report = asyncio.run(_gate(choose(site, corpus, env), version, env, json))
    if json:
        emit({"changed": False} if report is None else {"changed": True, **report_json(report)})
    elif report is None:
        out.print("Nothing changed since the active version: there is no draft to ask.")
    else:
        _show(report)
    return 0 if report is None or report.is_open else 1


async def _gate(chosen: Chosen, version: int | None, env: Mapping[str, str], json: bool) -> GateReport | None:
    async with opened_site(chosen, env) as runtime:
        with contextlib.nullcontext(silent) if json else shown(chosen.site.site.name) as progress:
            if version is None:
                return await _draft(runtime, chosen.corpus, progress)
            return await _kept(runtime, chosen.corpus, VersionId(version), progress)


async def _draft(runtime: SiteRuntime, corpus: Path, progress: Progress) -> GateReport | None:
    """What an ingest of the whole corpus would publish now; it is staged, asked and taken away."""
    _demand(runtime.gate(CorpusFolder(corpus)))
    return (await runtime.ingest(corpus, progress).rehearse()).gate


async def _kept(runtime: SiteRuntime, corpus: Path, version: VersionId, progress: Progress) -> GateReport:
    """A kept version, under the site file of now, against the active one."""
    gate = _demand(runtime.gate(CorpusFolder(corpus), progress))
    kept = {one.id: one for one in await runtime.history.versions()}
    if version not in kept:
        raise LocalProblem(f"version {version} is not kept; `magpie versions` lists those that are")
    return await gate.judge(kept[version], await runtime.versions.active())


def _demand(gate: SiteGate | None) -> SiteGate:
    if gate is None:
        raise LocalProblem(
            "the site file names no questions; set gate.questions to a question file of the corpus"
        )
    return gate


def report_json(report: GateReport) -> dict[str, Any]:
    """The report for machines."""
    return {
        "open": report.is_open,
        "asked": report.asked,
        "before": report.before,
        "drops": list(report.drops),
        "worse": list(report.worse),
        "failed": list(report.failed),
    }


def _show(report: GateReport) -> None:
    against = "" if report.before is None else f", against version {report.before}"
    out.print(
        f"{report.asked} questions asked{against}: {'open' if report.is_open else 'closed'}", style="bold"
    )
    for line in report.drops:
        out.print(f"  fell  {line}", style="yellow", markup=False)
    for line in report.worse:
        out.print(f"  {line}", markup=False)
    if report.failed:
        out.print(f"  without an answer: {', '.join(report.failed)}", style="yellow", markup=False)
