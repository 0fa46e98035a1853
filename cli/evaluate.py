"""`magpie evaluate`: a site's own questions asked of it, and how well they were answered."""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table

from cli.ask import Told
from cli.classify import prepare
from cli.opening import Chosen, choose, environment
from cli.running import opened_site, question_of
from cli.showing import emit, err, out
from infra.local.problems import LocalProblem
from magpie.asking.evidence import merged
from magpie.learning.scoring import Expected, Given, Judged, drops, expected_of, judge, report
from magpie.model import Citation, Page, Passage, PlanItem, Question
from magpie.wiring import SiteRuntime

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
    result = report(judged)
    worse = drops(result, before, tolerance) if before else ()
    if json_output:
        emit({**result, "drops": list(worse)})
    else:
        _show(result, judged if verbose else [one for one in judged if one.is_confident_wrong])
    for line in worse:
        err.print(f"worse than before: {line}", markup=False)
    return 1 if worse else 0


def read_questions(file: Path) -> tuple[Expected, ...]:
    """Raises: LocalProblem that names file and line."""
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as exc:
        raise LocalProblem(f"{file} can't be read: {exc}") from exc
    return tuple(_row(file, number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _row(file: Path, number: int, line: str) -> Expected:
    try:
        return expected_of(json.loads(line))
    except (json.JSONDecodeError, KeyError, TypeError) as exc:
        raise LocalProblem(
            f"{file}, line {number}: must be an object with `id`, `question` and `expect` ({exc})"
        ) from exc


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
        await prepare(runtime)
        return [judge(row, await _answer(runtime, row)) for row in rows]


async def _answer(runtime: SiteRuntime, row: Expected) -> Given:
    question = question_of(row.question, runtime.site.deadlines.stream_s)
    question = replace(question, page=Page(path=row.page)) if row.page else question
    began = time.monotonic()
    told = Told()
    async for part in runtime.asker.ask(question):
        told.take(part)
    seconds = time.monotonic() - began
    answer = told.as_json()
    found, routes = await _found(runtime, question) if row.sources else ((), ())
    citations = told.done.citations if told.done else ()
    policy = runtime.site.speaking.citations
    return Given(
        outcome=answer.get("outcome", "failed"),
        text=answer.get("text", ""),
        found=tuple(map(page_of, found)),
        cited=tuple(map(_cited, citations)),
        used=tuple(map(page_of, found)),
        routes=routes,
        is_silent=policy == "one_first_party" or bool(row.page),  # the open page is never cited
        seconds=seconds,
    )


async def _found(runtime: SiteRuntime, question: Question) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """What the search gives for the visitor's own words and for what the local planner makes of them."""
    version = await runtime.catalogue.active_version()
    plan = await runtime.local.planner.plan(question)
    own = PlanItem(query=question.text)
    items = [own, *(item for item in plan.items if item.query != own.query)]
    answers = await runtime.router.answer(replace(question, version_id=version.id), items, version)
    return merged(answers), tuple(answer.route for answer in answers)


def page_of(passage: Passage) -> str:
    """`path`, and the record where a file holds many."""
    record = passage.metadata.get("record")
    return f"{passage.path}#{record}" if record else passage.path


def _cited(citation: Citation) -> str:
    is_record = citation.path.endswith((".json", ".yaml", ".yml"))
    return f"{citation.path}#{citation.key.source_key}" if is_record else citation.path


# --- For people -------------------------------------------------------------------------------


def _show(result: Mapping[str, Any], judged: Sequence[Judged]) -> None:
    for title, groups in (
        ("", {"all": result["overall"]}),
        ("kind", result["by_kind"]),
        ("language", result["by_language"]),
    ):
        out.print(_table(title, groups))
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
