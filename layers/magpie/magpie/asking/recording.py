"""
What was asked and answered, written down before `done` goes out.

A record that can't be written in time is counted and logged by the answer's id, and the answer is
given all the same, unless the site file says `must_record`. Source: docs/adr/0016-the-record.md
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING

from magpie.asking.receipts import SHORT_HASH
from magpie.asking.streams import flowing
from magpie.asking.trail import Clock, Trail
from magpie.errors import MagpieError, RecordUnavailable
from magpie.model import (
    AnswerPart,
    Delta,
    Done,
    EvidenceUse,
    Question,
    Recorded,
    Started,
    Usage,
)
from magpie.ports import Records
from magpie.site import Site

if TYPE_CHECKING:
    from magpie.asking.masking import Mask

logger = logging.getLogger("magpie.record")

RECORD_S = 1.0  # the visitor has read the answer by then; only `done` waits
MASKING = "magpie.asking.masking"
"""Its patterns take some 60 ms to compile, for which neither a cold start nor a first text waits."""
BEGUN, UNFINISHED, FAILED = "begun", "unfinished", "failed"


@dataclass(slots=True)
class Overheard:
    """What went out, as it goes out."""

    question: Question
    asked_at: datetime
    started: Started | None = None
    said: list[str] = field(default_factory=list)

    def take(self, part: AnswerPart) -> None:
        match part:
            case Started():
                self.started = part
            case Delta(text=text):
                self.said.append(text)
            case _:
                pass


class Recorder:
    """Listens to answers and has them kept, as the site file says. Holds nothing between questions."""

    def __init__(
        self,
        site: Site,
        records: Records,
        clock: Clock,
        *,
        prompt_hash: str = "",
        record_s: float = RECORD_S,
    ) -> None:
        self._prompt_hash = prompt_hash
        self._privacy = site.privacy
        self._policy_hash = site.text_hash[:SHORT_HASH]
        self._site = site
        self._records = records
        self._clock = clock
        self._record_s = record_s

    async def recorded(
        self, question: Question, trail: Trail, parts: AsyncIterator[AnswerPart]
    ) -> AsyncIterator[AnswerPart]:
        """
        The same parts. Questions without a session (an owner's own, on a command line) are not kept.

        Raises: what the parts raise; RecordUnavailable where the site file demands a record.
        """
        if self._privacy.record == "none" or not question.session_id:
            kept = _passed(parts)
        else:
            kept = self._followed(Overheard(question, self._clock.now()), trail, parts)
        async with flowing(kept):
            async for part in kept:
                yield part

    async def _followed(
        self, heard: Overheard, trail: Trail, parts: AsyncIterator[AnswerPart]
    ) -> AsyncIterator[AnswerPart]:
        ending, error = UNFINISHED, ""
        try:
            async with flowing(parts):
                async for part in parts:
                    if isinstance(part, Delta) and not heard.said:
                        await self._demanded(heard, trail)
                    heard.take(part)
                    if isinstance(part, Done):
                        ending = ""
                        part = await self._ended(heard, trail, part)
                    yield part
                    if len(heard.said) == 1 and isinstance(part, Delta):
                        self._prepare()
        except MagpieError as exc:
            ending, error = (FAILED if ending else ""), type(exc).__name__
            raise
        finally:
            if ending and heard.started is not None:
                await self._kept(heard, trail, self._record(heard, trail, outcome=ending, error=error))

    def _prepare(self) -> None:
        """The visitor reads the first sentence: time to load what `done` would wait for."""
        if self._privacy.record == "masked":
            asyncio.get_running_loop().run_in_executor(None, import_module, MASKING)

    async def _demanded(self, heard: Overheard, trail: Trail) -> None:
        """Where there must be a record, nothing is said before one stands."""
        if self._privacy.must_record:
            begun = self._record(heard, trail, outcome=BEGUN)
            if not await self._kept(heard, trail, begun):
                raise RecordUnavailable("the answer can't be recorded, and the site file says it must be")

    async def _ended(self, heard: Overheard, trail: Trail, done: Done) -> Done:
        ended = self._record(heard, trail, outcome=done.outcome.value, receipt=done.receipt)
        ended = replace(ended, language=done.language)
        if not await self._kept(heard, trail, ended) and self._privacy.must_record:
            raise RecordUnavailable("the answer can't be recorded, and the site file says it must be")
        return replace(done, trace=trail.trace(), timings_ms=dict(trail.timings_ms))

    async def _kept(self, heard: Overheard, trail: Trail, record: Recorded) -> bool:
        """Whether it stands. A courtesy alone wakes no database that sleeps."""
        if not record.version_id and not self._records.is_awake and not self._privacy.must_record:
            trail.count("record_asleep")
            return False
        try:
            with trail.stage("record"):
                await asyncio.wait_for(self._written(heard, record), self._record_s)
        except (MagpieError, TimeoutError) as exc:
            trail.count("record_failed")
            kind = type(exc).__name__
            logger.warning("not recorded", extra={"answer_id": heard.question.id, "kind": kind})
            return False
        return True

    async def _written(self, heard: Overheard, record: Recorded) -> None:
        if self._privacy.record == "masked":
            record = await asyncio.to_thread(self._masked, heard, record)  # some ms of looking for patterns
        await self._records.record(record)

    def _masked(self, heard: Overheard, record: Recorded) -> Recorded:
        turns = [turn.text for turn in heard.question.history if turn.role == "user"]
        mask = _mask(self._site, (*turns, heard.question.text))
        return replace(
            record,
            question=mask.words(record.question),
            answer=mask.answer(record.answer),
            page=mask.page(record.page),
            masked=True,
        )

    def _record(
        self, heard: Overheard, trail: Trail, *, outcome: str, error: str = "", receipt: str = ""
    ) -> Recorded:
        question, started, facts = heard.question, heard.started, trail.facts
        return Recorded(
            answer_id=question.id,
            session_id=question.session_id,
            asked_at=heard.asked_at,
            question=_storable(question.text),
            answer=_storable("".join(heard.said).strip()),
            masked=False,
            outcome=outcome,
            error=error,
            language=started.language if started else "",
            page=_storable(question.page.path.split("?")[0].split("#")[0] if question.page else ""),
            role=question.viewer.role,
            intent=str(facts.get("intent", "")),
            routes=tuple(dict.fromkeys(facts.get("routes", ()))),
            version_id=trail.version_id,
            model=trail.writer,
            band=started.band if started else "",
            usage=trail.usage if outcome != BEGUN else Usage(),
            timings_ms=dict(trail.timings_ms),
            verdicts=dict(trail.verdicts()),
            counts=dict(trail.counts),
            safety=str(facts.get("safety", "")),
            confidence=facts.get("confidence"),
            prompt_hash=self._prompt_hash if trail.writer else "",
            policy_hash=self._policy_hash,
            receipt=receipt,
            evidence=_uses(trail) if outcome != BEGUN else (),
        )


async def _passed(parts: AsyncIterator[AnswerPart]) -> AsyncIterator[AnswerPart]:
    async with flowing(parts):
        async for part in parts:
            yield part


def _uses(trail: Trail) -> tuple[EvidenceUse, ...]:
    used = {item.number for item in trail.used}
    return tuple(
        EvidenceUse(
            number=item.number,
            chunk_id=item.passage.chunk_id,
            key=item.passage.key,
            title=item.passage.title,
            url=item.passage.url,
            content_hash=item.passage.content_hash,
            route=item.passage.route,
            score=item.passage.score,
            used=item.number in used,
        )
        for item in trail.evidence
    )


def _storable(text: str) -> str:
    """Without halves of surrogate pairs and NUL, which no database takes."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _mask(site: Site, heard: Sequence[str]) -> "Mask":
    from magpie.asking.masking import Mask

    return Mask(site, heard)


def masked_words(site: Site, words: Sequence[str], heard: Sequence[str] = ()) -> tuple[str, ...]:
    """A visitor's words as the site keeps them; `heard` is what the same visitor wrote besides."""
    if site.privacy.record == "full":
        return tuple(map(_storable, words))
    mask = _mask(site, (*heard, *words))
    return tuple(mask.words(_storable(text)) for text in words)
