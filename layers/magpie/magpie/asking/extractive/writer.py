"""Writes an answer without a model: quoted sentences, values from metadata, each with its citation."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from magpie.asking.extractive.choosing import Chosen, Pool, Scored, choose, leaning, pool_of
from magpie.asking.extractive.metadata import from_metadata
from magpie.asking.extractive.planner import GLOSS
from magpie.asking.extractive.transforms import transformed
from magpie.asking.extractive.units import LABEL
from magpie.asking.extractive.wants import LABELS, Want, want_of
from magpie.asking.parts import parts_of
from magpie.asking.prompts import NO_ANSWER
from magpie.asking.routes.words import plain
from magpie.asking.sentences import sentences
from magpie.model import ChatPiece, PlanItem, Scope
from magpie.ports import WritingTask
from magpie.site import Site
from magpie.text.language import detect

LEAST_CONFIDENCE = 0.62
VALUED = frozenset(
    {*LABELS, "address", "time", "link", "way"}
)  # kinds that a sentence seldom holds by chance
LEAST_WITH_VALUE = 0.5  # where a value of the wanted kind stands in what was chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the question and what was chosen for it."""

    text: str
    want: Want
    chosen: Chosen

    @property
    def is_answered(self) -> bool:
        has_value = self.want.kind in VALUED and any(one.has_shape for one in self.chosen.units)
        return self.chosen.confidence >= (LEAST_WITH_VALUE if has_value else LEAST_CONFIDENCE)


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
        pool = pool_of(task.evidence, self._site.site.name)
        language = detect(task.question.text) or task.language
        found: list[Part] = []
        for text, subject in _texts(task):
            first = found[0].chosen if found and subject else None
            found.append(self._part(text, subject, pool, language, first))
        return found

    def _part(self, text: str, subject: str, pool: Pool, language: str, first: Chosen | None) -> Part:
        want = want_of(text)
        most = self._site.speaking.sentences
        if not subject:
            return Part(text=text, want=want, chosen=choose(text, want, pool, language, most))
        whole = f"{text} {subject}"
        if first is None or not first.units or _differs_by_number(text, first):
            return Part(text=text, want=want, chosen=choose(whole, want, pool, language, most))
        key = first.units[0].evidence.passage.key
        own = choose(whole, want, pool, language, most, key)
        return Part(text=text, want=want, chosen=leaning(first, own, text, want, pool, language))


def _differs_by_number(text: str, first: Chosen) -> bool:
    """Whether a part names a year or a number that the first part's answer is not about."""
    said = " ".join(one.unit.text for one in first.units)
    return any(number not in said for number in re.findall(r"\d+", text))


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
    titled: set[int] = set()
    for part in parts:
        new = [one for one in part.chosen.units if one.unit.text not in said]
        said.update(one.unit.text for one in new)
        lines += [_quoted(one, part.text, titled) for one in new]
    foreign = {str(item.passage.language) for item in task.evidence} - {task.language}
    lead = own.say("quoted") if foreign else ""
    return "\n".join(filter(None, (lead, _flowing(lines))))


def _quoted(one: Scored, question: str, titled: set[int]) -> str:
    """A unit as a sentence with its citation; one of a person or project, or a bare value, says of what."""
    unit, passage = one.unit, one.evidence.passage
    text = unit.text
    if _needs_title(one, question) and unit.number not in titled:
        titled.add(unit.number)
        text = f"{passage.title}: {text}"
    if "link" in want_of(question).also and unit.link and unit.link not in text:
        text = f"{text} {unit.link}"
    ended = text if text.endswith((".", "!", "?", ":", "…", ";")) else f"{text}."
    return f"{ended} [{unit.number}]"


def _needs_title(one: Scored, question: str) -> bool:
    title = plain(one.evidence.passage.title)
    if title in plain(question) or title in plain(one.unit.text):
        return False
    is_value = one.unit.kind in {"label", "item", "row"} and LABEL.match(one.unit.text) is not None
    return is_value or one.evidence.passage.scope in {Scope.PERSON, Scope.PROJECT}


def _flowing(lines: Sequence[str]) -> str:
    return " ".join(lines)
