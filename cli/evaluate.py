"""`magpie evaluate`: a site's own questions asked of it, and how well they were answered."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from cli.opening import Chosen, choose, environment
from cli.running import opened_site
from cli.showing import emit, err, out
from infra.local.problems import LocalProblem
from magpie.learning.calibrating import calibration
from magpie.learning.gating import examined
from magpie.learning.scoring import Expected, Judged, drops, questions_of, report

TOLERANCE = 0.03


def run_evaluate(
    questions: Path,
    site: Path | None,
    corpus: Path | None,
    json_output: bool,
    compare: Path | None = None,
    tolerance: float = TOLERANCE,
    verbose: bool = False,
) -> int:
    """0; 1 when a rate fell by more than the tolerance since the report in `compare`."""
    env = environment()
    rows = read_questions(questions)
    before = _earlier(compare)
    judged = asyncio.run(_judge_all(rows, choose(site, corpus, env), env))
    result = {**report(judged), "confidence": calibration(judged)}
    worse = drops(result, before, tolerance) if before else ()
    if json_output:
        emit({**result, "drops": list(worse)})
    else:
        _show(result, judged if verbose else [one for one in judged if one.is_confident_wrong])
    for line in worse:
        err.print(f"worse than before: {line}", markup=False)
    return 1 if worse else 0


def read_questions(file: Path) -> tuple[Expected, ...]:
    """Raises: LocalProblem; CorpusInvalid that names file and line."""
    try:
        return questions_of(file.read_bytes(), str(file))
    except OSError as exc:
        raise LocalProblem(f"{file} can't be read: {exc.strerror}") from exc


def _earlier(file: Path | None) -> Mapping[str, Any]:
    if file is None:
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return {"overall": found["overall"]}
    except (OSError, json.JSONDecodeError, KeyError) as exc:
        raise LocalProblem(f"{file} is not a report of `magpie evaluate --json`: {exc}") from exc


async def _judge_all(rows: Sequence[Expected], chosen: Chosen, env: Mapping[str, str]) -> list[Judged]:
    async with opened_site(chosen, env) as runtime:
        version = await runtime.catalogue.active_version()
        return list(await examined(runtime.examinee(version, runtime.site), rows))


# --- For people -------------------------------------------------------------------------------


def _show(result: Mapping[str, Any], judged: Sequence[Judged]) -> None:
    for title, groups in (
        ("", {"all": result["overall"]}),
        ("kind", result["by_kind"]),
        ("language", result["by_language"]),
    ):
        out.print(_table(title, groups))
    _show_confidence(result["confidence"])
    for one in judged:
        mark = (
            "wrong"
            if one.is_confident_wrong
            else "right"
            if one.is_right
            else "refused"
            if one.is_refused
            else "-"
        )
        out.print(f"{one.id} {one.kind}: {mark}, {one.given.outcome}: {one.given.text[:160]}", markup=False)


def _show_confidence(found: Mapping[str, Any]) -> None:
    """How sure the answers said they were, against how many were right."""
    if not found["table"]:
        return
    table = Table("confidence", "answers", "said", "right", "95 % interval")
    for row in found["table"]:
        low, high = row["wilson"]
        scale = f"{row['from']:.1f} to {row['to']:.1f}"
        table.add_row(
            scale, str(row["count"]), f"{row['said']:.2f}", f"{row['rate']:.2f}", f"{low:.2f} to {high:.2f}"
        )
    out.print(table)
    out.print(f"Said and right are {found['error']:.2f} apart on average.")
    if found["points"]:
        out.print(
            f"To say what holds, write into the site file: confidence: {{points: {found['points']}}}",
            markup=False,
        )


def _table(title: str, groups: Mapping[str, Any]) -> Table:
    names = list(dict.fromkeys(name for sums in groups.values() for name in sums if name != "questions"))
    table = Table(title, "questions", *names)
    for group, sums in groups.items():
        table.add_row(group, str(sums["questions"]), *(_cell(sums.get(name)) for name in names))
    return table


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}"
    low, high = value["wilson"]
    return f"{value['hits']}/{value['count']} ({low:.0%} to {high:.0%})"
