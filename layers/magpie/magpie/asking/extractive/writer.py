"""Writes an answer without a model: quoted sentences, values from metadata, each with its citation."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from magpie.asking.extractive.choosing import Chosen, Pool, Scored, choose, pool_of
from magpie.asking.extractive.metadata import from_metadata
from magpie.asking.extractive.transforms import transformed
from magpie.asking.extractive.units import LABEL
from magpie.asking.extractive.wants import Want, want_of
from magpie.asking.parts import parts_of
from magpie.asking.prompts import NO_ANSWER
from magpie.asking.routes.words import plain
from magpie.asking.sentences import sentences
from magpie.model import ChatPiece, PlanItem
from magpie.ports import WritingTask
from magpie.site import Site
from magpie.text.language import detect

LEAST_CONFIDENCE = 0.5
LIST_UNITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the question and what was chosen for it."""

    text: str
    want: Want
    chosen: Chosen

    @property
    def is_answered(self) -> bool:
        return self.chosen.confidence >= LEAST_CONFIDENCE


class ExtractiveWriter:
    """The `Writer` that needs no model. Deterministic."""

    def __init__(self, site: Site) -> None:
        self._site = site

    @property
    def name(self) -> str:
        return "extractive"

    async def write(self, task: WritingTask) -> AsyncIterator[ChatPiece]:
        """The whole answer in one piece; `NO_ANSWER` alone where the evidence does not answer."""
        yield ChatPiece(text=self.text_of(task), finish_reason="stop")

    def text_of(self, task: WritingTask) -> str:
        """What is written for a task."""
        if task.purpose == "transform":
            return transformed(task)
        if told := from_metadata(task, self._site):
            return told
        pool = pool_of(task.evidence)
        parts = [self._part(text, pool, task) for text in _texts(task)]
        answered = [part for part in parts if part.is_answered]
        if not answered or (len(answered) < len(parts) and not _is_partial_enough(parts)):
            return NO_ANSWER
        return _told(answered, task, is_partial=len(answered) < len(parts))

    def _part(self, text: str, pool: Pool, task: WritingTask) -> Part:
        want = want_of(text)
        language = detect(text) or task.language
        most = LIST_UNITS if "list" in want.also else self._site.speaking.sentences
        return Part(text=text, want=want, chosen=choose(text, want, pool, language, most))


def _texts(task: WritingTask) -> tuple[str, ...]:
    """The parts, in the visitor's own words where the plan only split them."""
    items = task.plan.items or (PlanItem(query=task.question.text),)
    if len(items) == 1:
        return parts_of(items[0].query)
    return tuple(item.query for item in items)


def _is_partial_enough(parts: Sequence[Part]) -> bool:
    return False


def _told(parts: Sequence[Part], task: WritingTask, *, is_partial: bool) -> str:
    own = sentences(task.language)
    lines: list[str] = []
    said: set[str] = set()
    for part in parts:
        new = [one for one in part.chosen.units if one.unit.text not in said]
        said.update(one.unit.text for one in new)
        lines += [_quoted(one, part.text) for one in new]
    foreign = {str(item.passage.language) for item in task.evidence} - {task.language}
    lead = own.say("quoted") if foreign else ""
    return "\n".join(filter(None, (lead, _flowing(lines))))


def _quoted(one: Scored, question: str) -> str:
    """A unit as a sentence with its citation; a labelled value says of what, unless the question did."""
    unit, title = one.unit, one.evidence.passage.title
    text = unit.text
    if unit.kind in {"label", "item", "row"} and LABEL.match(text) and plain(title) not in plain(question):
        text = f"{title}: {text}"
    ended = text if text.endswith((".", "!", "?", ":", "…", ";")) else f"{text}."
    return f"{ended} [{unit.number}]"


def _flowing(lines: Sequence[str]) -> str:
    return " ".join(lines)
