"""
A question's way: heard > pinned > faced > decided > told, under one deadline.

    hear      courtesies, wishes, fixed topics: no database, no model (hearing)
    pin       the active version, for every read of this question
    face      classification, plan and search, together or in turn (front)
    decide    which outcome it is (outcomes)
    tell      the outcome as answer parts (telling)
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from magpie.asking.extras import holds_any, worded
from magpie.asking.front import Family, Front
from magpie.asking.hearing import Wish, courtesy, wish
from magpie.asking.outcomes import Answered, Handoff, Outcome, SmallTalk, decide
from magpie.asking.receipts import Receipts
from magpie.asking.recording import Recorder
from magpie.asking.sentences import SPOKEN, sentences
from magpie.asking.streams import flowing
from magpie.asking.telling import Teller, Telling
from magpie.asking.trail import Clock, Trail
from magpie.errors import (
    BadQuestion,
    DatabaseUnavailable,
    DeadlineExceeded,
    MagpieError,
    ProviderUnavailable,
    TooManyQuestions,
)
from magpie.model import AnswerPart, Failed, Language, Question, Started, Status, Version, VersionId
from magpie.ports import Catalogue, Router, Writer
from magpie.site import Site
from magpie.text.language import detect

PATIENCE_S = 1.0  # a database that takes longer is waking up, and we say so


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A question after its wish about the language was taken out; `outcome` where nothing is left to do."""

    question: Question
    language: Language
    outcome: Outcome | None = None
    preference: str | None = None


class Asker:
    """
    Answers questions on one site. Wired once a process, safe for concurrent questions.

        Asker(
            site=site,                      the site file
            catalogue=...,                  Catalogue: which version is active
            router=...,                     Router (magpie.asking.routes): plan items to passages
            family=Family(classifier=..., planner=..., writer=...),       prompted or extractive
            last_resort=...,                Writer: the extractive one, when every model fails
            receipts=Receipts(keys.signing),
            recorder=Recorder(site, records, clock),     may be left out, then nothing is recorded
            clock=Clock(),                  may be left out
        )
    """

    def __init__(
        self,
        *,
        site: Site,
        catalogue: Catalogue,
        router: Router,
        family: Family,
        last_resort: Writer,
        receipts: Receipts,
        recorder: Recorder | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._site = site
        self._catalogue = catalogue
        self._clock = clock or Clock()
        self._family = family
        self._recorder = recorder
        self._front = Front(
            family=family,
            router=router,
            mode=site.front,
            front_s=site.deadlines.front_s,
            search_s=site.deadlines.search_s,
            clock=self._clock,
        )
        self._teller = Teller(site=site, family=family, last_resort=last_resort, receipts=receipts)

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def writer_name(self) -> str:
        """`extractive`, or the model that writes."""
        return self._family.writer.name

    async def ask(self, question: Question) -> AsyncIterator[AnswerPart]:
        """
        The parts of the answer: `Started` first, `Done` or `Failed` last.

        Raises: MagpieError only before the first part, so that an edge can still refuse; later
        ones become a `Failed`. Closing the iterator ends all work, model calls too.
        """
        heard = self._hear(question)
        trail = Trail(self._clock)
        has_begun = False
        told = within(self._parts(heard, trail), question.deadline, self._clock)
        if self._recorder is not None:
            told = self._recorder.recorded(question, trail, told)
        try:
            async with flowing(told) as parts:
                async for part in parts:
                    has_begun = True
                    yield part
        except MagpieError as exc:
            if not has_begun:
                raise
            yield failure(exc, heard.language)

    async def _parts(self, heard: Heard, trail: Trail) -> AsyncIterator[AnswerPart]:
        telling = Telling(
            question=heard.question,
            language=heard.language,
            version_id=VersionId(0),
            trail=trail,
            preference=heard.preference,
        )
        if heard.outcome is not None:
            yield self._started(heard, VersionId(0))
            async with flowing(self._teller.tell(heard.outcome, telling)) as parts:
                async for part in parts:
                    yield part
            return
        async with Pinning(self._catalogue) as pinning:
            if not await pinning.within(PATIENCE_S):
                yield self._started(heard, VersionId(0))
                yield Status(state="waking")
                version = await pinning.version()
            else:
                version = await pinning.version()
                yield self._started(heard, version.id)
        yield Status(state="searching")
        async with flowing(self._answered(heard, version, replace(telling, version_id=version.id))) as parts:
            async for part in parts:
                yield part

    async def _answered(self, heard: Heard, version: Version, telling: Telling) -> AsyncIterator[AnswerPart]:
        question = replace(heard.question, version_id=version.id)
        telling.trail.version_id = version.id
        faced = await self._front.face(question, heard.language, version, telling.trail)
        telling.trail.facts |= {
            "intent": faced.classification.intent.value,
            "decided_by": faced.classification.decided_by,
            "plan_by": faced.plan.decided_by,
            "plan_items": len(faced.plan.items),
            "routes": [answer.route for answer in faced.answers],
        }
        language = self._language(question, faced.classification.language)
        outcome = decide(question, faced, self._site, sentences(language))
        telling.trail.facts["outcome"] = type(outcome).__name__
        if isinstance(outcome, Answered):
            rows = await self._catalogue.sources(version=version.id, viewer=question.viewer)
            telling = replace(telling, rows=rows)
        async with flowing(
            self._teller.tell(outcome, replace(telling, question=question, language=language))
        ) as parts:
            async for part in parts:
                yield part

    # --- Hearing ----------------------------------------------------------------------------

    def _hear(self, question: Question) -> Heard:
        """What the question says before anything is looked up."""
        spoken_wish = wish(question.text)
        if spoken_wish is not None:
            return self._hear_wish(question, spoken_wish)
        return self._hear_words(question, None)

    def _hear_wish(self, question: Question, spoken: Wish) -> Heard:
        preferred = Language(spoken.language) if spoken.language else None
        question = replace(question, text=spoken.rest, preferred_language=preferred)
        if spoken.rest and courtesy(spoken.rest) is None:
            return self._hear_words(question, spoken.language)
        language = preferred or spoken.said_in
        text = sentences(language).say("wish_kept" if preferred else "wish_cleared")
        outcome = SmallTalk(text=text, preference=spoken.language)
        return Heard(question=question, language=language, outcome=outcome, preference=spoken.language)

    def _hear_words(self, question: Question, preference: str | None) -> Heard:
        language = self._language(question)
        outcome = self._fixed(question, language) or self._courtesy(question)
        if isinstance(outcome, SmallTalk) and question.preferred_language is None:
            language = courteous.language if (courteous := courtesy(question.text, language)) else language
        return Heard(question=question, language=language, outcome=outcome, preference=preference)

    def _courtesy(self, question: Question) -> SmallTalk | None:
        found = courtesy(question.text, question.preferred_language or self._last_language(question))
        if found is None:
            return None
        own = sentences(question.preferred_language or found.language)
        name, site = self._site.persona.name, self._site.site.name
        is_plain = found.kind == "greeting" and own.language == self._site.site.corpus_language
        text = (self._site.persona.greeting if is_plain else "") or own.say(found.kind, name=name, site=site)
        return SmallTalk(text=text)

    def _fixed(self, question: Question, language: Language) -> Handoff | None:
        """Crisis and legal topics have their own words, before anything else is tried."""
        for topic in self._site.fixed:
            if holds_any(question.text, topic.words) and topic.answers:
                return Handoff(text=worded(topic.answers, language), url=topic.url, is_fixed=True)
        return None

    # --- Languages --------------------------------------------------------------------------

    def _language(self, question: Question, tagged: Language | None = None) -> Language:
        """As wished, else seen in the words, else the classifier's tag, the conversation's, the site's."""
        return (
            question.preferred_language
            or detect(question.text)
            or (tagged if tagged in SPOKEN else None)
            or self._last_language(question)
            or Language(self._site.site.corpus_language)
        )

    def _last_language(self, question: Question) -> Language | None:
        return next(
            (turn.language for turn in reversed(question.history) if turn.verified and turn.language), None
        )

    def _started(self, heard: Heard, version_id: VersionId) -> Started:
        return Started(
            answer_id=heard.question.id,
            ticket="",
            viewer=heard.question.viewer,
            version_id=version_id,
            language=heard.language,
            writer=self._family.writer.name,
            band="extractive" if self._family.writer.name == "extractive" else "full",
        )


class Pinning:
    """The look-up of the active version; leaving the context gives it up."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._task = asyncio.ensure_future(catalogue.active_version())

    async def within(self, patience_s: float) -> bool:
        done, _ = await asyncio.wait({self._task}, timeout=patience_s)
        return bool(done)

    async def version(self) -> Version:
        """Raises: DatabaseUnavailable; CorpusInvalid when nothing was ever published."""
        return await self._task

    async def __aenter__(self) -> "Pinning":
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})


async def within(
    parts: AsyncIterator[AnswerPart], deadline: float, clock: Clock
) -> AsyncIterator[AnswerPart]:
    """
    The parts until the deadline. Raises: DeadlineExceeded.

    Whoever stops listening ends the work: the inner stream is closed on every way out.
    """
    async with flowing(parts):
        while True:
            try:
                yield await asyncio.wait_for(anext(parts), max(0.0, deadline - clock.monotonic()))
            except StopAsyncIteration:
                return
            except TimeoutError as exc:
                raise DeadlineExceeded("answer", "the time for this answer is used up") from exc


def failure(exc: MagpieError, language: Language) -> Failed:
    """An error after the first byte, as a sentence for people and a code for machines."""
    own = sentences(language)
    match exc:
        case DeadlineExceeded():
            return Failed(code="deadline", message=own.say("too_slow"))
        case ProviderUnavailable(retry_after_s=wait) if wait is not None:
            seconds = max(1, round(wait))
            message = own.say("provider_limit", seconds=str(seconds))
            return Failed(code="provider_limit", message=message, retry_after_s=seconds)
        case ProviderUnavailable():
            return Failed(code="provider_unavailable", message=own.say("provider_down"))
        case DatabaseUnavailable():
            return Failed(code="database_unavailable", message=own.say("database_down"), retry_after_s=60)
        case TooManyQuestions(retry_after_s=seconds):
            message = own.say("provider_limit", seconds=str(seconds))
            return Failed(code="too_many_questions", message=message, retry_after_s=seconds)
        case BadQuestion(code=code, detail=detail):
            return Failed(code=code, message=detail)
        case _:
            return Failed(code="internal", message=own.say("internal"))
