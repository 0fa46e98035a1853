"""`magpie search`: the passages for a question, without a writer: retrieval can be tested alone."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cli.batches import worked
from cli.opening import Chosen, choose, environment
from cli.rows import Row, questions
from cli.running import opened_site, question_of
from cli.showing import emit, err, out
from infra.local.problems import LocalProblem
from magpie.errors import MagpieError
from magpie.model import Passage, PlanItem
from magpie.wiring import SiteRuntime


def run(question: str | None, rows: Path | None, site: Path | None, corpus: Path | None, json: bool) -> int:
    """0 when every search ran, found or not; 1 when one failed."""
    env = environment()
    asked = tuple(questions(question, rows))
    return asyncio.run(_search_all(asked, choose(site, corpus, env), env, json))


async def _search_all(rows: tuple[Row, ...], chosen: Chosen, env: Mapping[str, str], json: bool) -> int:
    async with opened_site(chosen, env) as runtime:

        async def search(row: Row) -> tuple[Row, tuple[Passage, ...] | MagpieError]:
            return row, await _search_one(runtime, row)

        texts = [row.question for row in rows]
        ran = [_tell(row, found, json) async for row, found in worked(rows, texts, runtime.recalling, search)]
    return 0 if all(ran) else 1


async def _search_one(runtime: SiteRuntime, row: Row) -> tuple[Passage, ...] | MagpieError:
    """One row that fails does not stop the others."""
    try:
        return await _passages(runtime, row.question)
    except MagpieError as exc:
        if row.id is None:
            raise
        return exc


def _tell(row: Row, found: tuple[Passage, ...] | MagpieError, json: bool) -> bool:
    """Whether the search ran."""
    if isinstance(found, MagpieError):
        if json:
            emit({"id": row.id, "error": {"code": type(found).__name__, "message": str(found)}})
        else:
            err.print(f"{row.id}: {found}", markup=False)
        return False
    if json:
        own = {} if row.id is None else {"id": row.id}
        emit({**own, "passages": [_passage(passage) for passage in found]})
    else:
        _show(row, found)
    return True


async def _passages(runtime: SiteRuntime, text: str) -> tuple[Passage, ...]:
    """In the visitor's own words, by the first route that takes them."""
    if not text.strip():
        raise LocalProblem("the question is empty")
    version = await runtime.catalogue.active_version()
    question = question_of(text, runtime.site.deadlines.stream_s, version.id)
    answers = await runtime.router.answer(question, (PlanItem(query=text),), version)
    return tuple(passage for answer in answers for passage in answer.passages)


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "path": passage.path,
        "source_type": passage.key.source_type,
        "source_key": passage.key.source_key,
        "title": passage.title,
        "url": passage.url,
        "score": round(passage.score, 4),
        "route": passage.route,
    }


def _show(row: Row, passages: tuple[Passage, ...]) -> None:
    if row.id is not None:
        out.print(f"\n{row.id}: {row.question}", style="bold", markup=False)
    if not passages:
        out.print("Nothing found.", style="dim")
    for passage in passages:
        out.print(f"{passage.score:5.2f}  {passage.title}", style="bold", markup=False)
        out.print(f"       {passage.path}  ({passage.route})", style="dim", markup=False)
        out.print(f"       {_beginning(passage.content)}", markup=False)


def _beginning(text: str, length: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rsplit(" ", 1)[0] + "…"
