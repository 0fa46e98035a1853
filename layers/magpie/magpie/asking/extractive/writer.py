"""Writes an answer without a model: quoted sentences, values from metadata, each with its citation."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from magpie.asking.extractive.career import career
from magpie.asking.extractive.choosing import Chosen, Pool, Scored, around, choose, leaning, pool_of
from magpie.asking.extractive.fitting import fitted, is_list
from magpie.asking.extractive.likeness import Likeness, Opinion
from magpie.asking.extractive.metadata import from_metadata
from magpie.asking.extractive.planner import GLOSS
from magpie.asking.extractive.referring import points_nowhere
from magpie.asking.extractive.summing import OVERVIEW, state, summary
from magpie.asking.extractive.transforms import transformed
from magpie.asking.extractive.units import LABEL
from magpie.asking.extractive.wants import SAID_BY_SHAPE, Want, exact_numbers, is_way, want_of
from magpie.asking.parts import parts_of
from magpie.asking.prompts import NO_ANSWER
from magpie.asking.routes.words import plain
from magpie.asking.sentences import sentences
from magpie.errors import ProviderUnavailable
from magpie.model import ChatPiece, PlanItem, Scope, SourceKey
from magpie.ports import Embedder, WritingTask
from magpie.site import Site
from magpie.text.language import detect

LEAST_CONFIDENCE = 0.62
ELSEWHERE_FACTOR = 0.95
VALUED = frozenset(
    {*SAID_BY_SHAPE, "address", "hours", "link", "way"}
)  # kinds that a sentence seldom holds by chance
COMMON = frozenset({"count"})
AMOUNTS = frozenset({"count", "money", "percent", "duration", "measure", "weight", "temperature"})
LISTED = frozenset({Scope.LINKS, Scope.TEAM})  # their lines say themselves what they are
LONGEST_VALUE_WORDS = 6
LEAST_IN_DOUBT = 0.75  # where the classifier would have sent the question away
LEAST_FOR_A_HALF = 0.75  # of the part that is answered, where another is not
LIKELY, LIKELY_IN_DOUBT, LIKELY_FOR_A_HALF = 0.645, 0.68, 0.68  # where sentences were read
LIKELY_BY_WORDS = 0.55
"""Where words alone would answer, and no value is asked of which a page holds many."""
NEARLY_AS_LIKELY = 0.15  # how far behind another sentence the words' own choice may be
LEAST_WITH_VALUE = 0.5  # where a value of the wanted kind stands in what was chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the question, what it leans on, and what was chosen for it."""

    text: str
    want: Want
    chosen: Chosen
    subject: str = ""
    is_settled: bool = False
    """Whether its place is known without a doubt: the beginning of a page, a state, a post in a career."""
    likelihood: float | None = None
    """How likely it is right, 0 to 1, where sentences were read."""

    @property
    def whole(self) -> str:
        """The part with what it leans on."""
        return f"{self.text} {self.subject}".strip()

    @property
    def has_shape(self) -> bool:
        """Whether a value of the wanted kind stands in what was chosen."""
        return any(one.has_shape for one in self.chosen.units)

    @property
    def is_beyond_doubt(self) -> bool:
        """Whether it may be told though the message may be none for this site."""
        if self.likelihood is not None:
            return self.likelihood >= LIKELY_IN_DOUBT
        return self.chosen.confidence >= LEAST_IN_DOUBT

    @property
    def is_sure(self) -> bool:
        """Whether it is told though another part is not answered."""
        if self.likelihood is not None:
            return self.likelihood >= LIKELY_FOR_A_HALF
        return self.chosen.confidence >= LEAST_FOR_A_HALF

    @property
    def is_whole(self) -> bool:
        """Whether all that was asked is told: where amounts are compared, more than one of them."""
        if "compared" not in self.want.also or self.want.kind not in AMOUNTS:
            return True
        return len(exact_numbers(" ".join(one.unit.text for one in self.chosen.units))) > 1

    @property
    def is_answered(self) -> bool:
        if self.likelihood is not None:
            return self.likelihood >= LIKELY
        has_value = self.want.kind in VALUED and self.has_shape
        return self.chosen.confidence >= (LEAST_WITH_VALUE if has_value else LEAST_CONFIDENCE)


class ExtractiveWriter:
    """
    The `Writer` that needs no chat model. Deterministic. `embedder`, a local one, is asked for a second
    opinion where words alone find no answer.
    """

    def __init__(self, site: Site, embedder: Embedder | None = None) -> None:
        self._site = site
        read = Likeness(embedder) if embedder is not None else None
        self.likeness = read if read is not None and read.is_calibrated else None

    @property
    def name(self) -> str:
        return "extractive"

    async def write(self, task: WritingTask) -> AsyncIterator[ChatPiece]:
        """The whole answer in one piece; `NO_ANSWER` alone where the evidence does not answer."""
        text = self._at_once(task)
        if text is None:
            parts = self.parts(task)
            is_read = self.likeness is not None and not points_nowhere(task.question)
            text = self._answer(await self._judged(parts, task) if is_read else parts, task)
        yield ChatPiece(text=text, finish_reason="stop")

    def text_of(self, task: WritingTask) -> str:
        """What is written for a task by its words alone."""
        text = self._at_once(task)
        return self._answer(self.parts(task), task) if text is None else text

    def _at_once(self, task: WritingTask) -> str | None:
        """What needs no sentence to be chosen; None where one does."""
        if task.purpose == "transform":
            return transformed(task)
        if told := from_metadata(task, self._site):
            return told
        return NO_ANSWER if asks_to_act(task.question.text) else None

    def _answer(self, parts: Sequence[Part], task: WritingTask) -> str:
        answered = [part for part in parts if part.is_answered]
        fitting = self._fitting(answered)
        told = _told(fitting, task)
        if task.is_doubtful and not all(part.is_beyond_doubt for part in parts):
            return NO_ANSWER
        if sum(map(len, fitting)) == len(parts) and all(part.is_whole for part in answered):
            return told
        is_worth_it = any(part.is_sure for part in answered)
        return f"{told}\n{NO_ANSWER}" if is_worth_it else NO_ANSWER

    def _fitting(self, parts: Sequence[Part]) -> tuple[tuple[Part, ...], ...]:
        """The parts by paragraphs, as long as the site wants them."""
        speaking = self._site.speaking
        chosen = fitted([part.chosen for part in parts], speaking.paragraphs, speaking.sentences)
        left = iter(parts)
        return tuple(tuple(replace(next(left), chosen=one) for one in paragraph) for paragraph in chosen)

    async def _judged(self, parts: Sequence[Part], task: WritingTask) -> list[Part]:
        """The parts, each by the sentence that a reader of them thinks likeliest, and as sure as that."""
        pool = pool_of(task.evidence, self._site.site.name, self._site.site.corpus_language)
        language = detect(task.question.text) or task.language
        judged: list[Part] = []
        for part in parts:
            first = judged[0].chosen if judged and part.subject else None
            judged.append(part if part.is_settled else await self._read(part, first, pool, language))
        return judged

    async def _read(self, part: Part, first: Chosen | None, pool: Pool, language: str) -> Part:
        try:
            opinion = await self._opinion(part, first, pool, language)
        except ProviderUnavailable:
            return part
        if opinion is None:
            return part
        least = LIKELY if part.want.kind in VALUED | COMMON else LIKELY_BY_WORDS
        likely = opinion.of_words >= max(least, opinion.probability - NEARLY_AS_LIKELY)
        if part.is_answered and likely and (not part.want.kind or part.has_shape):
            best = max(part.chosen.units, key=lambda one: one.score)
            told = around(best, part.chosen, part.whole, part.want, pool, language, self._most)
            return replace(part, chosen=told, likelihood=max(LIKELY, opinion.of_words))
        chosen = around(opinion.unit, part.chosen, part.whole, part.want, pool, language, self._most)
        return replace(part, chosen=chosen, likelihood=opinion.probability)

    async def _opinion(self, part: Part, first: Chosen | None, pool: Pool, language: str) -> Opinion | None:
        """A part that leans on another is answered where that one was, unless only another page answers it."""
        if self.likeness is None:
            return None
        here = None
        if first and first.units and not _differs_by_number(part.text, first):
            source = first.units[0].evidence.passage.key
            here = await self.likeness.opinion(part.whole, part.want, pool, language, part.chosen, source)
        if here and here.probability >= LIKELY:
            return here
        away = await self.likeness.opinion(part.whole, part.want, pool, language, part.chosen)
        return max((one for one in (here, away) if one), key=lambda one: one.probability, default=None)

    @property
    def _most(self) -> int:
        return self._site.speaking.sentences

    def parts(self, task: WritingTask) -> list[Part]:
        pool = pool_of(task.evidence, self._site.site.name, self._site.site.corpus_language)
        language = detect(task.question.text) or task.language
        found: list[Part] = []
        for text, subject in _texts(task):
            first = found[0].chosen if found and subject else None
            found.append(self._part(text, subject, pool, language, first))
        return found

    def _part(self, text: str, subject: str, pool: Pool, language: str, first: Chosen | None) -> Part:
        want = want_of(text)
        most = self._site.speaking.sentences
        whole = f"{text} {subject}".strip()
        settled = (
            state(whole, want, pool, language)
            or career(whole, want, pool, language)
            or summary(whole, want, pool, language, most)
        )
        chosen = settled
        if chosen is None and subject and first and first.units and not _differs_by_number(text, first):
            own = choose(whole, want, pool, language, most, first.units[0].evidence.passage.key)
            chosen = leaning(first, own, text, want, pool, language)
            chosen = _or_elsewhere(chosen, choose(whole, want, pool, language, most))
        if chosen is None:
            chosen = choose(whole, want, pool, language, most)
        return Part(text=text, want=want, chosen=chosen, subject=subject, is_settled=settled is not None)


def _or_elsewhere(here: Chosen, elsewhere: Chosen) -> Chosen:
    """A part that leans on another is answered where that one was, unless only another page answers it."""
    away = replace(elsewhere, confidence=elsewhere.confidence * ELSEWHERE_FACTOR)
    return away if here.confidence < LEAST_CONFIDENCE <= away.confidence else here


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


def _told(paragraphs: Sequence[Sequence[Part]], task: WritingTask) -> str:
    """The parts' quotations by paragraphs; a lead-in where they are foreign."""
    own = sentences(task.language)
    said: set[str] = set()
    titled: set[SourceKey] = set()
    told = [
        " ".join(filter(None, (_part_told(part, said, titled) for part in parts))) for parts in paragraphs
    ]
    body = "\n\n".join(filter(None, told))
    every = [part for parts in paragraphs for part in parts]
    lead = own.say("quoted") if any(_is_foreign(part, task.language) for part in every) else ""
    back = own.say("ask_back") if any(_asks_back(part) for part in every) else ""
    return "\n".join(filter(None, (lead, f"{body} {back}".strip())))


def _asks_back(part: Part) -> bool:
    """A broad question gets a summary and a question back."""
    units = part.chosen.units
    is_overview = bool(units) and units[0].evidence.passage.route == OVERVIEW
    return part.chosen.has_more and (is_overview or "broad" in part.want.also)


def _is_foreign(part: Part, language: str) -> bool:
    """Whether a sentence of another language is quoted; a bare value is of none."""
    return any(one.unit.language != language and not _asked_value(one, part) for one in part.chosen.units)


def _part_told(part: Part, said: set[str], titled: set[SourceKey]) -> str:
    new = [one for one in part.chosen.units if one.unit.text not in said]
    said.update(one.unit.text for one in new)
    lines = [(one.unit.kind, _quoted(one, part, titled)) for one in new]
    if not is_list(new):
        return " ".join(line for _, line in lines)
    return "\n".join(line if kind == "sentence" else f"- {line}" for kind, line in lines)


def _quoted(one: Scored, part: Part, titled: set[SourceKey]) -> str:
    """A unit as a sentence with its citation; one of a person or project, or a bare value, says of what."""
    unit, passage = one.unit, one.evidence.passage
    value = _asked_value(one, part)
    text = value or unit.text
    if passage.key not in titled and (value or _needs_title(one, part)):
        text = f"{passage.title}: {text}"
    titled.add(passage.key)
    wants_link = "link" in part.want.also or passage.scope is Scope.LINKS
    if wants_link and unit.link and unit.link not in text and not is_way(text):
        text = f"{text} {unit.link}"
    ended = text if text.endswith((".", "!", "?", ":", "…", ";", "]]")) else f"{text}."
    return f"{ended} [{unit.number}]"


def _asked_value(one: Scored, part: Part) -> str:
    """The value alone where its label only says what was asked for: `Price: £9` to `What does it cost?`"""
    text = one.unit.text
    label = LABEL.match(text)
    is_line = one.unit.kind != "sentence" or len(text.split()) <= LONGEST_VALUE_WORDS
    if label is None or not is_line or one.evidence.passage.scope in LISTED:
        return ""
    is_state = "state" in part.want.also and label.group(1) == "Status"
    return text[label.end() :] if is_state or part.want.is_labelled_in(f"{label.group()}…") else ""


def _needs_title(one: Scored, part: Part) -> bool:
    passage = one.evidence.passage
    title = plain(passage.title)
    if title in plain(f"{part.text} {part.subject}") or title in plain(one.unit.text):
        return False
    is_value = one.unit.kind in {"label", "item", "row"} and LABEL.match(one.unit.text) is not None
    return (is_value and passage.scope not in LISTED) or passage.scope in {Scope.PERSON, Scope.PROJECT}
