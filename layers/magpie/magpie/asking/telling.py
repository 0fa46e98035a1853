"""
Outcomes to answer parts. Every outcome is told as a stream that ends with `Done`.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from magpie.asking.citing import Citer
from magpie.asking.confidence import confidence
from magpie.asking.discretion import Discretion, Safety, note
from magpie.asking.extras import actions_for, recommendations_for
from magpie.asking.front import Family
from magpie.asking.links import LinkTokens, may_link
from magpie.asking.outcomes import Answered, Clarify, Handoff, Outcome, SmallTalk, Transformed, Unsupported
from magpie.asking.receipts import SHORT_HASH, Receipt, Receipts, evidence_hashes, text_hash
from magpie.asking.sentences import sentences
from magpie.asking.streams import flowing
from magpie.asking.trail import Trail
from magpie.asking.writing import Voice, Writing, manner_for, rules_for
from magpie.errors import ProviderUnavailable
from magpie.model import (
    Action,
    Actions,
    AnswerPart,
    Citation,
    Done,
    Evidence,
    Language,
    Plan,
    Question,
    Recommendations,
    Sources,
    Status,
    VersionId,
)
from magpie.model import Outcome as OutcomeName
from magpie.ports import SourceRow, Writer, WritingTask
from magpie.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What every way of telling needs to know of the question it answers."""

    question: Question
    language: Language
    version_id: VersionId
    trail: Trail
    preference: str | None = None
    discretion: Discretion
    rows: tuple[SourceRow, ...] = ()
    """The sources of the version, for the names that the guard knows."""


class Teller:
    """
    Tells any outcome. `last_resort` writes when every model of the family's writer fails before a word is
    out; after that a failure goes up, and the stream ends with an error.
    """

    def __init__(self, *, site: Site, family: Family, last_resort: Writer, receipts: Receipts) -> None:
        self._site = site
        self._writer = family.writer
        self._marks = family.marks
        self._prompt_hash = family.prompt_hash
        self._last_resort = last_resort
        self._receipts = receipts

    def tell(self, outcome: Outcome, telling: Telling) -> AsyncIterator[AnswerPart]:
        """Raises: ProviderUnavailable when a model is lost in the middle of its answer."""
        match outcome:
            case SmallTalk(text=text, preference=preference):
                kept = telling if preference is None else replace(telling, preference=preference)
                return self._said(OutcomeName.SMALL_TALK, text, kept)
            case Unsupported(text=text):
                return self._said(OutcomeName.UNSUPPORTED, text, telling, self._who_helps(telling.language))
            case Clarify(text=text):
                return self._said(OutcomeName.CLARIFY, text, telling)
            case Handoff():
                return self._handed_over(outcome, telling)
            case Transformed():
                return self._transformed(outcome, telling)
            case Answered():
                return self._answered(outcome, telling)
            case _:
                assert_never(outcome)

    # --- Words of our own -------------------------------------------------------------------

    async def _said(
        self, name: OutcomeName, text: str, telling: Telling, actions: tuple[Action, ...] = ()
    ) -> AsyncIterator[AnswerPart]:
        voice = Voice()
        telling.trail.mark("first_text")
        yield voice.delta(self._discreet(text, telling))
        if actions := _distinct((*self._actions(telling), *actions)):
            yield Actions(actions=actions)
        yield self._done(name, voice, telling)

    async def _handed_over(self, outcome: Handoff, telling: Telling) -> AsyncIterator[AnswerPart]:
        """Why we can't say, and who can."""
        voice = Voice()
        telling.trail.mark("first_text")
        text = outcome.text if outcome.is_fixed else f"{outcome.text} {self._contact(telling.language)}"
        yield voice.delta(self._discreet(text, telling))
        helps = self._fixed_way(outcome, telling.language) or self._who_helps(telling.language)
        actions = () if outcome.is_alone else _distinct((*self._actions(telling), *helps))
        if actions:
            yield Actions(actions=actions)
        yield self._done(OutcomeName.HANDOFF, voice, telling)

    def _discreet(self, text: str, telling: Telling) -> str:
        """Our own sentences may carry a name from elsewhere: a visitor's word, a model's ready reply."""
        told = telling.discretion.redacted(text)
        if told == text:
            return text
        note(telling.trail, Safety.EXTERNAL_REDACTED if told else Safety.EXTERNAL_FALLBACK)
        return told or f"{sentences(telling.language).say('handoff')} {self._contact(telling.language)}"

    def _contact(self, language: Language) -> str:
        handover, own = self._site.handover, sentences(language)
        if handover.sentences.get(language):
            return handover.sentences[language]
        contact = handover.email or (handover.url if may_link(handover.url, self._site.own_hosts) else "")
        if not contact:
            return own.say("handoff_plain")
        return own.say("handoff_contact", contact=contact)

    def _who_helps(self, language: Language) -> tuple[Action, ...]:
        handover = self._site.handover
        if not handover.url or not may_link(handover.url, self._site.own_hosts):
            return ()
        return (Action(label=handover.label or self._site.site.name, url=handover.url, kind="handover"),)

    def _fixed_way(self, outcome: Handoff, language: Language) -> tuple[Action, ...]:
        if not outcome.url:
            return ()
        return (Action(label=outcome.url, url=outcome.url, kind="link"),)

    # --- Answers ----------------------------------------------------------------------------

    async def _answered(self, outcome: Answered, telling: Telling) -> AsyncIterator[AnswerPart]:
        question, voice = telling.question, Voice()
        telling.trail.evidence = outcome.evidence
        telling.trail.facts["evidence"] = list(dict.fromkeys(one.passage.path for one in outcome.evidence))
        citer = Citer(
            outcome.evidence,
            policy=self._site.speaking.citations,
            page=question.page,
            hosts=self._site.own_hosts,
        )
        if self._site.speaking.citations == "list" and (candidates := citer.candidates()):
            yield Sources(citations=candidates)
        yield Status(state="writing")
        task = WritingTask(
            question=question,
            plan=outcome.plan,
            evidence=outcome.evidence,
            language=telling.language,
            directs=outcome.directs,
            is_doubtful=outcome.is_doubtful,
        )
        async with flowing(self._written(self._writing(task, outcome.links, citer, voice, telling))) as parts:
            async for part in parts:
                yield part
        if not voice.text.strip():
            telling.trail.count("nothing_left")
            async with flowing(self.tell(outcome.otherwise, telling)) as parts:
                async for part in parts:
                    yield part
            return
        ending = self._in_part if telling.trail.counts["no_answer"] else self._closing
        async with flowing(ending(outcome, citer, voice, telling)) as parts:
            async for part in parts:
                yield part

    async def _in_part(
        self, outcome: Answered, citer: Citer, voice: Voice, telling: Telling
    ) -> AsyncIterator[AnswerPart]:
        """What we know was told; what we don't is said, and who can help with it: no answer, but no silence either."""
        missing = sentences(telling.language).say("part_missing")
        yield voice.delta(f"\n{missing} {self._contact(telling.language)}")
        if actions := _distinct((*self._actions(telling), *self._who_helps(telling.language))):
            yield Actions(actions=actions)
        yield self._done(OutcomeName.HANDOFF, voice, telling, citer.final(), citer.used)

    async def _closing(
        self, outcome: Answered, citer: Citer, voice: Voice, telling: Telling
    ) -> AsyncIterator[AnswerPart]:
        if actions := self._actions(telling):
            yield Actions(actions=actions)
        page = telling.question.page
        items = recommendations_for(outcome.found, citer.final(), self._site, page.path if page else "")
        if items:
            yield Recommendations(items=items)
        yield self._done(OutcomeName.ANSWERED, voice, telling, citer.final(), citer.used)

    async def _transformed(self, outcome: Transformed, telling: Telling) -> AsyncIterator[AnswerPart]:
        """The last answer in another form; its citations stay, and it rests on nothing but itself."""
        voice, turn = Voice(), outcome.turn
        links = LinkTokens(self._site.own_hosts)
        task = WritingTask(
            question=telling.question,
            plan=Plan(items=()),
            evidence=(),
            language=telling.language,
            purpose="transform",
            task=outcome.task,
            draft=links.hide(turn.text),
        )
        citer = Citer((), policy=self._site.speaking.citations, page=telling.question.page, hosts=())
        yield Status(state="writing")
        async with flowing(self._written(self._writing(task, links, citer, voice, telling))) as parts:
            async for part in parts:
                yield part
        yield self._done(OutcomeName.TRANSFORMED, voice, telling, turn.citations)

    async def _written(self, writing: Writing) -> AsyncIterator[AnswerPart]:
        """The writer's text, released; the last resort's where the writer fails before its first word."""
        try:
            async with flowing(writing.by(self._writer)) as parts:
                async for part in parts:
                    yield part
        except ProviderUnavailable as exc:
            if writing.voice.said:
                raise
            writing.trail.count("last_resort")
            writing.trail.facts["writer_failed"] = type(exc).__name__
            yield Status(state="economy")
            async with flowing(writing.by(self._last_resort)) as parts:
                async for part in parts:
                    yield part

    def _writing(
        self, task: WritingTask, links: LinkTokens, citer: Citer, voice: Voice, telling: Telling
    ) -> Writing:
        return Writing(
            task=task,
            links=links,
            citer=citer,
            voice=voice,
            trail=telling.trail,
            rules=rules_for(self._site, telling.rows, telling.language),
            manner=manner_for(self._site, telling.discretion, self._marks, telling.language, task),
        )

    # --- The end ----------------------------------------------------------------------------

    def _actions(self, telling: Telling) -> tuple[Action, ...]:
        return actions_for(telling.question.text, self._site, telling.language)

    def _say_how_sure(self, name: OutcomeName, used: Sequence[Evidence], trail: Trail) -> None:
        """In the trace and the record: only an answer is more or less sure."""
        found = (
            confidence(used, self._site, trail.clock.now().date()) if name is OutcomeName.ANSWERED else None
        )
        if found is not None:
            trail.facts |= {"confidence": found.said, "confidence_of_evidence": found.of_evidence}

    def _done(
        self,
        name: OutcomeName,
        voice: Voice,
        telling: Telling,
        citations: tuple[Citation, ...] = (),
        used: Sequence[Evidence] = (),
    ) -> Done:
        trail = telling.trail
        trail.mark("total")
        trail.used = tuple(used)
        self._say_how_sure(name, used, trail)
        receipt = Receipt(
            answer_id=telling.question.id,
            text_hash=text_hash(voice.text),
            language=telling.language,
            outcome=name,
            citations=citations,
            version_id=telling.version_id,
            evidence=evidence_hashes(used),
            writer=trail.writer,
            at=trail.clock.now(),
            session_id=telling.question.session_id,
            prompt_hash=self._prompt_hash if trail.writer else "",
            policy_hash=self._site.text_hash[:SHORT_HASH],
            verdicts=trail.verdicts(),
        )
        return Done(
            outcome=name,
            citations=citations,
            receipt=self._receipts.sign(receipt),
            usage=trail.usage,
            language=telling.language,
            timings_ms=dict(trail.timings_ms),
            trace=trail.trace(),
            preference=telling.preference,
        )


def _distinct(actions: Iterable[Action]) -> tuple[Action, ...]:
    return tuple({action.url: action for action in reversed(list(actions))}.values())[::-1]
