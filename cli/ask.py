"""`magpie ask`: a question's whole way, as a visitor's would go, its parts told as they come."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cli.batches import WORKED_ON, worked
from cli.opening import Chosen, choose, environment
from cli.rows import Row, questions
from cli.running import opened_site, question_of
from cli.showing import emit, err, out
from infra.local.problems import LocalProblem
from magpie.asking.viewers import viewer_of
from magpie.errors import MagpieError
from magpie.model import AnswerPart, Citation, Delta, Done, Failed, Started, Viewer
from magpie.wiring import SiteRuntime


def run(
    question: str | None,
    rows: Path | None,
    site: Path | None,
    corpus: Path | None,
    json: bool,
    role: str = "",
) -> int:
    """0 when every question got its answer, 1 when one failed."""
    env = environment()
    asked = tuple(questions(question, rows))
    chosen = choose(site, corpus, env)
    return asyncio.run(_ask_all(asked, chosen, env, json, _viewer(chosen, role)))


def _viewer(chosen: Chosen, role: str) -> Viewer:
    """A guest, or whoever bears the role. Raises: LocalProblem for a role that the site file lacks."""
    if not role:
        return Viewer()
    told = chosen.site.visibilities_by_role
    if role not in told:
        known = ", ".join(told) or "none"
        raise LocalProblem(f"the site file has no role {role!r} (`roles`: {known})")
    return viewer_of((role,), told)


async def _ask_all(
    rows: tuple[Row, ...], chosen: Chosen, env: Mapping[str, str], json: bool, viewer: Viewer
) -> int:
    async with opened_site(chosen, env) as runtime:

        async def ask(row: Row) -> tuple[Row, dict[str, Any]]:
            return row, await _ask_one(runtime, row, json, viewer)

        # For people each answer is shown as it comes: then one follows the other.
        at_a_time = WORKED_ON if json else 1
        texts = [row.question for row in rows]
        has_all = True
        async for row, answer in worked(rows, texts, runtime.recalling, ask, at_a_time):
            has_all = has_all and "error" not in answer
            if json:
                emit({**({} if row.id is None else {"id": row.id}), **answer})
    return 0 if has_all else 1


async def _ask_one(runtime: SiteRuntime, row: Row, json: bool, viewer: Viewer) -> dict[str, Any]:
    """The answer for machines; one row that fails does not stop the others."""
    told = Told()
    try:
        if not row.question.strip():
            raise LocalProblem("the question is empty")
        question = replace(question_of(row.question, runtime.site.deadlines.stream_s), viewer=viewer)
        async for part in runtime.asker.ask(question):
            told.take(part)
            if not json:
                _show(part, row)
        return told.as_json()
    except MagpieError as exc:
        if row.id is None:
            raise
        if not json:
            err.print(f"{row.id}: {exc}", markup=False)
        return {"error": {"code": type(exc).__name__, "message": str(exc)}}


@dataclass(slots=True)
class Told:
    """What the parts said, put together."""

    started: Started | None = None
    done: Done | None = None
    failed: Failed | None = None
    pieces: list[str] = field(default_factory=list)

    def take(self, part: AnswerPart) -> None:
        match part:
            case Started():
                self.started = part
            case Delta(text=text):
                self.pieces.append(text)
            case Done():
                self.done = part
            case Failed():
                self.failed = part
            case _:
                pass

    def as_json(self) -> dict[str, Any]:
        """The answer for machines."""
        if self.done is None:
            code = self.failed.code if self.failed else "no_end"
            message = self.failed.message if self.failed else "the answer broke off"
            return {"error": {"code": code, "message": message}}
        return {
            "outcome": self.done.outcome.value,
            "text": "".join(self.pieces).strip(),
            "language": self.done.language,
            "citations": [_citation(citation) for citation in self.done.citations],
            "evidence": list(self.done.trace.get("evidence", ())),
            "timings_ms": dict(self.done.timings_ms),
            "cost_usd": self.done.usage.cost_usd,
        }


def _citation(citation: Citation) -> dict[str, Any]:
    return {"path": citation.path, "url": citation.url, "title": citation.title}


# --- For people -------------------------------------------------------------------------------


def _show(part: AnswerPart, row: Row) -> None:
    match part:
        case Delta(seq=seq, text=text):
            if seq == 0 and row.id is not None:
                out.print(f"\n{row.id}: {row.question}", style="bold", markup=False)
            out.print(text, end="", markup=False)
        case Done():
            _show_end(part)
        case Failed(message=message):
            out.print(message, style="red", markup=False)
        case _:
            pass


def _show_end(done: Done) -> None:
    out.print()
    for citation in done.citations:
        out.print(
            f"  [{citation.number}] {citation.title}  {citation.url or citation.path}",
            style="dim",
            markup=False,
        )
    cost = f", {done.usage.cost_usd:.6f} USD" if done.usage.cost_usd else ""
    total_ms = done.timings_ms.get("total", 0)
    out.print(f"  {done.outcome.value}, {total_ms:.0f} ms{cost}", style="dim", markup=False)
