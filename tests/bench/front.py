"""
Time to the first text, both fronts side by side, with a chat model of fixed delay.

    python -m tests.bench.front [--delay 0.3] [--embedding 0.1] [--rounds 5] [--json]

The model is a scripted endpoint on the loopback address, asked with the real SDK; the search is
a stand-in that takes the embedding's time, so that what is measured is the front alone. `least` is
what the speculative front must keep (docs/benchmarks.md): the model's delays plus 60 ms, 20 ms for
a greeting.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from magpie.adapters.openai_models import OpenAIChat, OpenAIEndpoint
from magpie.asking.chain import ModelChain, PricedModel
from magpie.asking.front import Family
from magpie.asking.prompted import prompted_family
from magpie.asking.trail import Clock
from magpie.model import AnswerPart, Delta
from tests.bench._command import run, seconds, whole_number
from tests.fakes import FakeRouter, passage
from tests.loopback.openai_server import Says, Scripted
from tests.loopback.serving import served
from tests.unit.asking_site import Desk, site

SLACK_S = 0.060
GREETING_S = 0.020
QUESTION = "How fast do you answer?"
CERTAIN = "Where is your contact page?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`model_calls` and `embeddings` one after the other is what the speculative front may cost."""

    name: str
    text: str
    plan: tuple[str, ...]
    model_calls: int
    embeddings: int
    slack_s: float = SLACK_S


CASES = (
    Case(name="plan equals the question", text=QUESTION, plan=(QUESTION,), model_calls=2, embeddings=0),
    Case(
        name="plan adds questions",
        text=QUESTION,
        plan=("In days?", "On Sundays?"),
        model_calls=2,
        embeddings=1,
    ),
    Case(name="deterministic route", text=CERTAIN, plan=(CERTAIN,), model_calls=1, embeddings=0),
    Case(name="greeting", text="Hello!", plan=(), model_calls=0, embeddings=0, slack_s=GREETING_S),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Seconds to the first text; `least_s` is the bar of the speculative front."""

    case: str
    speculative_s: float
    serial_s: float
    least_s: float

    @property
    def holds(self) -> bool:
        return self.speculative_s <= self.least_s


def family(endpoint: OpenAIEndpoint) -> Family:
    clock = Clock()

    def chain(name: str) -> ModelChain:
        return ModelChain([PricedModel(model=OpenAIChat(endpoint, name))], clock)

    return prompted_family(
        site(), classifier=chain("sorter"), planner=chain("planner"), writer=chain("writer"), clock=clock
    )


def script(case: Case, delay_s: float) -> Scripted:
    plan = json.dumps({"items": [{"query": query} for query in case.plan]})
    return Scripted(
        steps={
            "sorter": [
                Says(text='{"intent": "rag_question", "language": "en"}', delay_s=delay_s, piece_chars=500)
            ],
            "planner": [Says(text=plan, delay_s=delay_s, piece_chars=500)],
            "writer": [
                Says(text="We answer within one working day. [1]\n", delay_s=delay_s, piece_chars=500)
            ],
        }
    )


async def first_text_s(desk: Desk, text: str) -> float:
    began = time.perf_counter()
    parts = desk.asker.ask(desk.question(text))
    part: AnswerPart | None = None
    async for part in parts:
        if isinstance(part, Delta):
            took_s = time.perf_counter() - began
            await parts.aclose()
            return took_s
    raise RuntimeError(f"no text came for {text!r} but {part}")


async def measured(case: Case, base: str, mode: str, embedding_s: float, rounds: int) -> float:
    """The median over the rounds; a first one, which opens connections, does not count."""
    endpoint = OpenAIEndpoint("bench", f"{base}/v1")
    _ = endpoint.client  # loads the SDK, which is a cold start's business
    router = FakeRouter(default=(passage(),), certain=frozenset({CERTAIN}), embed_s=embedding_s)
    desk = Desk(site=site(front=mode), router=router, family=family(endpoint))
    try:
        times = [await first_text_s(desk, case.text) for _ in range(rounds + 1)]
    finally:
        await endpoint.close()
    return statistics.median(times[1:])


def bench(delay_s: float, embedding_s: float, rounds: int) -> list[Row]:
    rows = []
    for case in CASES:
        with served(script(case, delay_s).app) as base:
            speculative_s, serial_s = (
                asyncio.run(measured(case, base, mode, embedding_s, rounds))
                for mode in ("speculative", "serial")
            )
        least_s = case.model_calls * delay_s + case.embeddings * embedding_s + case.slack_s
        rows.append(Row(case=case.name, speculative_s=speculative_s, serial_s=serial_s, least_s=least_s))
    return rows


def table(rows: Sequence[Row], delay_s: float, embedding_s: float) -> str:
    head = f"First text, ms; a model call {delay_s * 1000:.0f} ms, an embedding {embedding_s * 1000:.0f} ms"
    lines = [head, "", f"{'':28}{'speculative':>12}{'serial':>10}{'least':>10}"]
    for row in rows:
        figures = f"{row.speculative_s * 1000:12.1f}{row.serial_s * 1000:10.1f}{row.least_s * 1000:10.1f}"
        lines.append(f"{row.case:28}{figures}{'' if row.holds else '   missed'}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="time to the first text, both fronts side by side")
    parser.add_argument("--delay", type=seconds, default=0.3, help="seconds a model call takes (L)")
    parser.add_argument("--embedding", type=seconds, default=0.1, help="seconds an embedding takes (E)")
    parser.add_argument("--rounds", type=whole_number, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = bench(options.delay, options.embedding, options.rounds)
    if options.json:
        told = [
            {"case": r.case, "speculative_s": r.speculative_s, "serial_s": r.serial_s, "least_s": r.least_s}
            for r in rows
        ]
        print(json.dumps(told))
    else:
        print(table(rows, options.delay, options.embedding))
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    run(main)
