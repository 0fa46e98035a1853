"""
What each step of ranking gains, on a site that is ingested, with its own questions.

    PYTHONPATH=layers/magpie python -m tests.bench.ranking [--site FILE --corpus DIR --questions FILE]

Without options the demo agency. Each line adds a step to the one above it. A hit is by page: the
rank of the first expected source among the different pages that were found.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cli.evaluate import read_questions
from cli.opening import DEMO_CORPORA, choose, environment
from cli.running import opened_site, question_of
from magpie.asking.evidence import merged
from magpie.asking.routes import SiteRouter
from magpie.examining import page_of
from magpie.learning.scoring import CUTS, Expected, Rate, rank_of
from magpie.model import Page, PlanItem
from magpie.site import Site
from magpie.wiring import SiteRuntime
from tests.bench._command import run

STEPS: Mapping[str, Mapping[str, object]] = {
    "keywords alone": {"semantic_weight": 0.0, "keyword_weight": 1.0, "rerank": False, "rescue": 12},
    "cosine alone": {"semantic_weight": 1.0, "keyword_weight": 0.0, "rerank": False, "rescue": 0},
    "blend, each leg scaled": {"rerank": False, "rescue": 0},
    "+ keyword rescue": {"rerank": False},
    "+ overlap, recency, priority": {"diversity": 0.0},
    "+ diversity": {},
}


def variants(site: Site) -> dict[str, Site]:
    """The site with ranking built up step by step, without routes; then with them."""
    bare = site.model_copy(update={"routes": ()})
    found = {
        name: bare.model_copy(update={"retrieval": site.retrieval.model_copy(update=dict(step))})
        for name, step in STEPS.items()
    }
    return {**found, "+ routes": site}


async def ranks(
    runtime: SiteRuntime, site: Site, rows: Sequence[Expected], *, is_planned: bool
) -> list[int | None]:
    """The rank of each question's page, in order."""
    router = SiteRouter(site, runtime.catalogue, runtime.passages, runtime.primary, runtime.fallback)
    version = await runtime.catalogue.active_version()
    found: list[int | None] = []
    for row in rows:
        question = replace(question_of(row.question, 60), version_id=version.id)
        question = replace(question, page=Page(path=row.page)) if row.page else question
        items = [PlanItem(query=row.question)]
        if is_planned:
            plan = await runtime.local.planner.plan(question)
            items += [item for item in plan.items if item.query != row.question]
        answers = await router.answer(question, items, version)
        found.append(rank_of(row, tuple(map(page_of, merged(answers)))))
    return found


def line(name: str, found: Sequence[int | None]) -> str:
    cells = [
        told(Rate(hits=sum(1 for rank in found if rank and rank <= cut), count=len(found))) for cut in CUTS
    ]
    mrr = sum(1 / rank for rank in found if rank) / len(found)
    return f"| {name} | {' | '.join(cells)} | {mrr:.3f} |"


def told(rate: Rate) -> str:
    low, high = rate.interval
    return f"{rate.hits}/{rate.count} ({low:.0%} to {high:.0%})"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--questions", type=Path, default=DEMO_CORPORA / "agency" / "questions.jsonl")
    options = parser.parse_args()
    env = environment()
    rows = [row for row in read_questions(options.questions) if row.sources and row.expect == "answer"]
    print("| ranking | hit@1 | hit@5 | hit@10 | MRR |\n|---|---|---|---|---|")
    async with opened_site(choose(options.site, options.corpus, env), env) as runtime:
        for name, site in variants(runtime.site).items():
            print(line(name, await ranks(runtime, site, rows, is_planned=False)), flush=True)
        print(line("+ plan", await ranks(runtime, runtime.site, rows, is_planned=True)), flush=True)


if __name__ == "__main__":
    run(main)
