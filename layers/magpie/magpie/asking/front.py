"""
The front: what kind of message is it, what does it ask, and what do the pages hold on it.

`speculative` runs all three together and cancels what is not needed; `serial` starts each when
it is its turn, so that small talk costs one call. Either way a route that is certain waits for
no model, and what a model is too late or too muddled to say is replaced by the ledger's fallbacks.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar

from magpie.asking.hearing import folded
from magpie.asking.prompts import PromptMarks
from magpie.asking.trail import Clock, Trail
from magpie.errors import DeadlineExceeded
from magpie.model import (
    ABOUT_ITSELF,
    Classification,
    Intent,
    Language,
    Plan,
    PlanItem,
    Question,
    RouteAnswer,
    Version,
)
from magpie.ports import Classifier, Planner, Router, Writer

T = TypeVar("T")

MOST_ITEMS = 6  # ledger G9
QUOTING = "extractive"
"""The name of the writer that only quotes: it costs nothing, and its words are the evidence's own."""
HEAD_START_S = 0.010  # a certain route needs a few ms of the database; a model call it saves is paid for


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Who classifies, plans and writes: prompted or extractive, behind the same ports."""

    classifier: Classifier
    planner: Planner
    writer: Writer
    marks: PromptMarks = field(default_factory=PromptMarks)
    """By what the writer's own prompt is known; a sentence that holds any of it ends the answer."""
    prompt_hash: str = ""
    """Of the words that models are asked with, the canary left out; empty where none is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Faced:
    """What the front found. `answers` stand in the order of the plan's items; own words first."""

    classification: Classification
    plan: Plan
    answers: tuple[RouteAnswer, ...] = ()


class Front:
    """Faces one question at a time; holds nothing between questions."""

    def __init__(
        self,
        *,
        family: Family,
        router: Router,
        mode: Literal["speculative", "serial"],
        front_s: float,
        search_s: float,
        clock: Clock,
    ) -> None:
        self._family = family
        self._router = router
        self._mode = mode
        self._front_s = front_s
        self._search_s = search_s
        self._clock = clock

    async def face(self, question: Question, language: Language, version: Version, trail: Trail) -> Faced:
        """Raises: DatabaseUnavailable, and DeadlineExceeded where the search itself is too late."""
        own_words = PlanItem(query=question.text)
        deadline = min(question.deadline, self._clock.monotonic() + self._front_s)
        async with Steps(clock=self._clock, deadline=deadline, trail=trail) as steps:
            found = steps.step("retrieve", lambda: self._router.answer(question, (own_words,), version))
            kind = steps.step("classify", lambda: self._family.classifier.classify(question))
            plan = steps.step("plan", lambda: self._family.planner.plan(question))
            if self._mode == "speculative" and await _is_certain(found, kind, plan):
                return Faced(
                    classification=_presumed(language),
                    plan=_own(own_words, "rules"),
                    answers=found.result(),
                )
            classification = await self._classified(kind, language, trail)
            if classification.intent is not Intent.RAG_QUESTION and not self._is_in_doubt(classification):
                return Faced(classification=classification, plan=_own(own_words, "rules"))
            answers = await self._searched(found)
            if any(answer.certain for answer in answers):
                return Faced(classification=classification, plan=_own(own_words, "rules"), answers=answers)
            planned = await self._planned(plan, own_words, trail)
            more = await self._searched_too(question, planned, own_words, version, trail)
            return Faced(classification=classification, plan=planned, answers=(*answers, *more))

    def _is_in_doubt(self, classification: Classification) -> bool:
        """
        Whether likeness to examples alone sends the question away: a look at the pages may know better.
        Only where writing costs nothing, since what is off topic would be written about too.
        """
        is_message = classification.intent in {Intent.SMALL_TALK, Intent.UNSUPPORTED}
        return is_message and classification.decided_by == "examples" and self._family.writer.name == QUOTING

    async def _classified(
        self, kind: "Step[Classification]", language: Language, trail: Trail
    ) -> Classification:
        classification = await kind.in_time()
        if classification is None:
            trail.count("classifier_late")
            return replace(_presumed(language), decided_by="fallback")
        trail.spend(classification.usage)
        if classification.malformed:
            trail.count("classifier_malformed")
        if (classification.intent, classification.task) == (Intent.SMALL_TALK, ABOUT_ITSELF):
            return replace(classification, intent=Intent.RAG_QUESTION)  # the site has pages on that
        return classification

    async def _planned(self, plan: "Step[Plan]", own_words: PlanItem, trail: Trail) -> Plan:
        planned = await plan.in_time()
        if planned is None:
            trail.count("planner_late")
            return _own(own_words, "fallback")
        trail.spend(planned.usage)
        if planned.malformed:
            trail.count("planner_malformed")
        return (
            replace(planned, items=planned.items[:MOST_ITEMS])
            if planned.items
            else _own(own_words, "fallback")
        )

    async def _searched_too(
        self, question: Question, plan: Plan, own_words: PlanItem, version: Version, trail: Trail
    ) -> tuple[RouteAnswer, ...]:
        """What the plan adds to the visitor's own words, which were searched already."""
        added = [item for item in plan.items if not _same(item, own_words)]
        if not added:
            return ()
        try:
            with trail.stage("retrieve_planned"):
                return await asyncio.wait_for(self._router.answer(question, added, version), self._search_s)
        except TimeoutError:
            trail.count("planned_search_late")
            return ()

    async def _searched(self, found: "Step[tuple[RouteAnswer, ...]]") -> tuple[RouteAnswer, ...]:
        """However long the models took, the search has its own time."""
        await found.settled(self._search_s)
        answers = await found.in_time()
        if answers is None:
            raise DeadlineExceeded("search", "did not end in time")
        return answers


def _same(item: PlanItem, own_words: PlanItem) -> bool:
    return folded(item.query) == folded(own_words.query) and item.mode is own_words.mode


def _presumed(language: Language) -> Classification:
    return Classification(intent=Intent.RAG_QUESTION, language=language, decided_by="rules")


def _own(own_words: PlanItem, decided_by: str) -> Plan:
    return Plan(items=(own_words,), decided_by=decided_by)


async def _is_certain(
    found: "Step[tuple[RouteAnswer, ...]]", kind: "Step[Classification]", plan: "Step[Plan]"
) -> bool:
    """
    True when the search ended first, or together, with a route that is sure of its answer.

    The search has a head start; then classification and planning run beside it.
    """
    found.start()
    await found.settled(HEAD_START_S)
    if found.is_done and _certain(found):
        return True
    kind.start()
    plan.start()
    await kind.race(found)
    return found.is_done and _certain(found)


def _certain(found: "Step[tuple[RouteAnswer, ...]]") -> bool:
    return not found.has_failed and any(answer.certain for answer in found.result())


class Step(Generic[T]):
    """One piece of work, started when it is first asked for; at most once."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]], left_s: Callable[[], float]) -> None:
        self._work = work
        self._left_s = left_s
        self._task: asyncio.Task[T] | None = None

    def start(self) -> "asyncio.Task[T]":
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        return self._task

    def result(self) -> T:
        return self.start().result()

    async def in_time(self) -> T | None:
        """The result, or None when the deadline comes first. Raises what the work raised."""
        done, _ = await asyncio.wait({self.start()}, timeout=max(0.0, self._left_s()))
        return self.result() if done else None

    @property
    def is_done(self) -> bool:
        return self._task is not None and self._task.done()

    @property
    def has_failed(self) -> bool:
        return self._task is not None and self._task.done() and self._task.exception() is not None

    async def settled(self, seconds: float) -> None:
        """Until it is done, or so long."""
        await asyncio.wait({self.start()}, timeout=seconds)

    async def race(self, other: "Step[Any]") -> None:
        """Until either is done, or the deadline."""
        both = {self.start(), other.start()}
        await asyncio.wait(both, timeout=max(0.0, self._left_s()), return_when=asyncio.FIRST_COMPLETED)

    async def cancel(self) -> None:
        """A failure that nobody waited for any more is of no interest; asyncio would log it."""
        if self._task is not None and self._task.done() and not self._task.cancelled():
            self._task.exception()
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})


class Steps:
    """The steps of one question. Leaving the context cancels what is still running."""

    def __init__(self, *, clock: Clock, deadline: float, trail: Trail) -> None:
        self._clock = clock
        self._deadline = deadline
        self._trail = trail
        self._steps: list[Step[Any]] = []

    def step(self, name: str, work: Callable[[], Awaitable[T]]) -> Step[T]:
        async def timed() -> T:
            with self._trail.stage(name):
                return await work()

        step = Step(timed, lambda: self._deadline - self._clock.monotonic())
        self._steps.append(step)
        return step

    async def __aenter__(self) -> "Steps":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for step in self._steps:
            await step.cancel()
