"""Writes an answer without a model: quoted sentences, values from metadata, each with its citation."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from magpie.asking.extractive.choosing import Chosen, Pool, Scored, choose, pool_of
from magpie.asking.extractive.metadata import from_metadata
from magpie.asking.extractive.planner import GLOSS
from magpie.asking.extractive.transforms import transformed
from magpie.asking.extractive.units import LABEL
from magpie.asking.extractive.wants import Want, want_of
from magpie.asking.parts import parts_of
from magpie.asking.prompts import NO_ANSWER
from magpie.asking.routes.words import plain
from magpie.asking.sentences import sentences
from magpie.model import ChatPiece, PlanItem, SourceKey
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
        if asks_to_act(task.question.text):
            return NO_ANSWER
        parts = self._parts(task)
        answered = [part for part in parts if part.is_answered]
        if len(answered) < len(parts):
            return NO_ANSWER
        return _told(answered, task)

    def _parts(self, task: WritingTask) -> list[Part]:
        pool = pool_of(task.evidence)
        found: list[Part] = []
        for text, subject in _texts(task):
            first = found[0].chosen.units if found and subject else ()
            found.append(self._part(text, subject, pool, task, first[0].evidence.passage.key if first else None))
        return found

    def _part(self, text: str, subject: str, pool: Pool, task: WritingTask, within: SourceKey | None) -> Part:
        want = want_of(text)
        language = detect(task.question.text) or task.language
        most = LIST_UNITS if "list" in want.also else self._site.speaking.sentences
        chosen = choose(text, want, pool, language, most, within)
        if subject and within is None:
            chosen = choose(f"{subject} {text}", want, pool, language, most)
        return Part(text=text, want=want, chosen=chosen)


# A wish that we do something, not a question that a page answers.
_ACT = re.compile(
    r"\b(?:can|could|would|will|please) (?:you )?(?:please )?(?:\w+ (?:it|this|that|one) for me|(?:reset|unlock|cancel|delete|change|update|transfer"
    r"|send|order|book|reserve|sign) (?:me|my|us)\b)|\b(?:reset|unlock|cancel|delete) my\b"
    r"|\b(?:podes|pode|poderia|podem) (?:\w+-me|(?:repor|cancelar|apagar|alterar|enviar) (?:a |o )?(?:minha|meu))\b"
    r"|\b(?:puedes|puede|podrias|pueden) (?:\w+me|(?:restablecer|cancelar|borrar|cambiar|enviar) mi)\b"
    r"|\b(?:konnen sie|kannst du|konnt ihr) (?:mir|mein\w*) .* (?:zurucksetzen|loschen|andern|senden|stornieren)\b"
)


def asks_to_act(text: str) -> bool:
    """Whether the visitor wants something done that only people can do."""
    return _ACT.search(plain(text)) is not None


def _texts(task: WritingTask) -> tuple[tuple[str, str], ...]:
    """The parts in the visitor's own words, each with the subject that it leans on."""
    items = [item for item in task.plan.items if item.entity != GLOSS] or [PlanItem(query=task.question.text)]
    if len(items) == 1 and not items[0].subject:
        return tuple((part, "") for part in parts_of(items[0].query))
    return tuple((item.query.removeprefix(f"{item.subject}: "), item.subject) for item in items)


def _told(parts: Sequence[Part], task: WritingTask) -> str:
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
