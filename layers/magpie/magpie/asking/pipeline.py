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
from typing import Literal

from magpie.asking.discretion import Discretion, Safety, note, terms_of
from magpie.asking.extras import holds_any, worded
from magpie.asking.front import QUOTING, Faced, Family, Front
from magpie.asking.hearing import Wish, courtesy, wish
from magpie.asking.outcomes import Answered, Handoff, Outcome, SmallTalk, decide
from magpie.asking.receipts import Receipts
from magpie.asking.recording import Recorder
from magpie.asking.routes.words import hears
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
    RecordUnavailable,
    TableUnavailable,
    TooManyQuestions,
)
from magpie.model import AnswerPart, Band, Failed, Language, Question, Started, Status, Version, VersionId
from magpie.ports import Catalogue, Router, Spending, Writer
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
            clock=Clock(),                  may be left out, and so may these:
            spending=...,                   Spending: which band an answer may be made in
            economy=Family(...),            cheaper models, for the band of that name
            extractive=Family(...),         no models, for the lowest band
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
        spending: Spending | None = None,
        economy: Family | None = None,
        extractive: Family | None = None,
    ) -> None:
        self._site = site
        self._terms = terms_of(site)
        self._catalogue = catalogue
        self._clock = clock or Clock()
        self._recorder = recorder
        self._spending = spending

        def desk(band: Band, family: Family, mode: Literal["speculative", "serial"]) -> Desk:
            front = Front(
                family=family,
                router=router,
                mode=mode,
                front_s=site.deadlines.front_s,
                search_s=site.deadlines.search_s,
                clock=self._clock,
            )
            teller = Teller(site=site, family=family, last_resort=last_resort, receipts=receipts)
            return Desk(band=band, writer=family.writer.name, front=front, teller=teller)

        quotes = family.writer.name == QUOTING
        self._desks = {
            Band.FULL: desk(Band.EXTRACTIVE if quotes else Band.FULL, family, site.front),
            # One after the other: whatever a step makes needless is not paid for.
            Band.ECONOMY: desk(Band.ECONOMY, economy or family, "serial"),
            Band.EXTRACTIVE: desk(Band.EXTRACTIVE, extractive or family, site.front),
        }

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def writer_name(self) -> str:
        """`extractive`, or the model that writes."""
        return self._desks[Band.FULL].writer

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
            discretion=Discretion(self._terms, heard.question.viewer),
        )
        if heard.outcome is not None:
            desk = self._desks[Band.FULL]  # words of our own cost nothing
            yield self._started(heard, VersionId(0), desk)
            async with flowing(desk.teller.tell(heard.outcome, telling)) as parts:
                async for part in parts:
                    yield part
            return
        async with Pinning(self._catalogue) as pinning:
            desk = await self._desk(trail)
            if not await pinning.within(PATIENCE_S):
                yield self._started(heard, VersionId(0), desk)
                yield Status(state="waking")
                version = await pinning.version()
            else:
                version = await pinning.version()
                yield self._started(heard, version.id, desk)
        yield Status(state="searching")
        telling = replace(telling, version_id=version.id)
        async with flowing(self._answered(heard, version, telling, desk)) as parts:
            async for part in parts:
                yield part

    async def _desk(self, trail: Trail) -> "Desk":
        """Where this answer is made: as good as the money allows. Nobody knows: as if there were none."""
        band = Band.FULL
        if self._spending is not None and self._desks[Band.FULL].writer != QUOTING:
            try:
                band = await self._spending.band()
            except DatabaseUnavailable:
                trail.count("spending_unknown")
                band = Band.EXTRACTIVE
        desk = self._desks[band]
        trail.facts["band"] = desk.band.value
        return desk

    async def _answered(
        self, heard: Heard, version: Version, telling: Telling, desk: "Desk"
    ) -> AsyncIterator[AnswerPart]:
        question = replace(heard.question, version_id=version.id)
        telling.trail.version_id = version.id
        faced = await desk.front.face(question, heard.language, version, telling.trail)
        telling.trail.facts |= {
            "intent": faced.classification.intent.value,
            "decided_by": faced.classification.decided_by,
            "plan_by": faced.plan.decided_by,
            "plan_items": len(faced.plan.items),
            "routes": [answer.route for answer in faced.answers],
        }
        language = self._language(question, faced.classification.language)
        outcome = self._decided(question, faced, language, telling)
        telling.trail.facts["outcome"] = type(outcome).__name__
        if isinstance(outcome, Answered):
            rows = await self._catalogue.sources(version=version.id, viewer=question.viewer)
            telling = replace(telling, rows=rows)
        async with flowing(
            desk.teller.tell(outcome, replace(telling, question=question, language=language))
        ) as parts:
            async for part in parts:
                yield part

    def _decided(self, question: Question, faced: Faced, language: Language, telling: Telling) -> Outcome:
        """The outcome, from what this viewer may know of what was found."""
        trail, discretion = telling.trail, telling.discretion
        seen = discretion.look(faced.answers)
        note(trail, seen.safety)
        for name, count in (("passages_withheld", seen.withheld), ("orders_dropped", seen.orders)):
            if count:
                trail.counts[name] += count
        if discretion.is_asked_for(
            (question.text, *(part for item in faced.plan.items for part in (item.query, item.entity)))
        ):
            note(trail, Safety.EXTERNAL_FALLBACK)
            return Handoff(text=sentences(language).say("handoff"))
        return decide(question, replace(faced, answers=seen.answers), self._site, sentences(language))

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
        corpus_language = self._site.site.corpus_language
        greeting = self._site.persona.greeting.only_in(own.language, corpus_language)
        is_ours = found.kind != "greeting" or not greeting
        return SmallTalk(text=own.say(found.kind, name=name, site=site) if is_ours else greeting)

    def _fixed(self, question: Question, language: Language) -> Handoff | None:
        """Crisis and legal topics have their own words, the site's before ours, before anything else is tried."""
        for topic in self._site.fixed:
            if holds_any(question.text, topic.words) and topic.answers:
                return Handoff(text=worded(topic.answers, language), url=topic.url, is_fixed=True)
        if hears("crisis", question.text):
            return Handoff(text=sentences(language).say("crisis"), is_fixed=True, is_alone=True)
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

    def _started(self, heard: Heard, version_id: VersionId, desk: "Desk") -> Started:
        return Started(
            answer_id=heard.question.id,
            ticket="",
            viewer=heard.question.viewer,
            version_id=version_id,
            language=heard.language,
            writer=desk.writer,
            band=desk.band.value,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """How answers are made in one band."""

    band: Band
    writer: str
    front: Front
    teller: Teller


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
        case RecordUnavailable():
            return Failed(code="record_unavailable", message=own.say("record_down"), retry_after_s=60)
        case TableUnavailable():
            return Failed(code="table_unavailable", message=own.say("table_down"), retry_after_s=60)
        case DatabaseUnavailable():
            return Failed(code="database_unavailable", message=own.say("database_down"), retry_after_s=60)
        case TooManyQuestions(retry_after_s=seconds):
            message = own.say("provider_limit", seconds=str(seconds))
            return Failed(code="too_many_questions", message=message, retry_after_s=seconds)
        case BadQuestion(code=code, detail=detail):
            return Failed(code=code, message=detail)
        case _:
            return Failed(code="internal", message=own.say("internal"))
