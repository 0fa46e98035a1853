"""
An answer being written: the writer's words, judged, repaired where they can be, released.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace

from magpie.asking.citing import Citer
from magpie.asking.discretion import Discretion, Safety, note
from magpie.asking.front import QUOTING
from magpie.asking.guard import Guard, GuardRules, Held, judge, quotation
from magpie.asking.guard import Released as Proven
from magpie.asking.links import LinkTokens
from magpie.asking.prompts import PromptMarks
from magpie.asking.release import Manner, Named, Ready, Release, Sentence, Withheld, unjudged
from magpie.asking.sentences import sentences
from magpie.asking.streams import flowing
from magpie.asking.support import Block, GuardEvidence
from magpie.asking.trail import Trail
from magpie.errors import ProviderUnavailable
from magpie.model import AnswerPart, Cited, Delta, Scope, Status
from magpie.ports import SourceRow, Writer, WritingTask
from magpie.site import Site
from magpie.text.instructions import orders

MOST_REPAIRS = 2  # an answer that needs more is better told shorter
REPAIR_S = 6.0
NAMED = frozenset({Scope.PROJECT, Scope.PERSON, Scope.PARTNER})


@dataclass(slots=True)
class Voice:
    """Counts deltas and remembers what was said."""

    said: list[str] = field(default_factory=list)

    def delta(self, text: str) -> Delta:
        self.said.append(text)
        return Delta(seq=len(self.said) - 1, text=text)

    @property
    def text(self) -> str:
        return "".join(self.said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What stands at the way out of one answer; no evidence where nothing is to be judged."""

    release: Release
    evidence: GuardEvidence | None


@dataclass(slots=True, kw_only=True)
class Writing:
    """One answer's way from a writer to the visitor."""

    task: WritingTask
    links: LinkTokens
    citer: Citer
    voice: Voice
    trail: Trail
    rules: GuardRules
    manner: Manner
    _repairs: int = 0

    async def by(self, writer: Writer) -> AsyncIterator[AnswerPart]:
        """
        What may go out of what this writer writes.

        Raises: ProviderUnavailable; whether a word is out already, `voice` knows.
        """
        self.trail.writer = writer.name
        judging = asyncio.create_task(self._judging(writer))
        try:
            with self.trail.stage("write"):
                async with flowing(self._sentences(writer, judging)) as written:
                    async for sentence in written:
                        if isinstance(sentence, Withheld) and sentence.is_last:
                            self.trail.count(sentence.reason)
                            break
                        async with flowing(self._told(sentence, writer, await judging)) as parts:
                            async for part in parts:
                                yield part
        finally:
            judging.cancel()

    async def _sentences(self, writer: Writer, judging: "asyncio.Task[Judging]") -> AsyncIterator[Sentence]:
        async with flowing(writer.write(self.task)) as pieces:
            async for piece in pieces:
                self.trail.spend(piece.usage)
                self.trail.writer = piece.model or self.trail.writer
                for sentence in (await judging).release.feed(piece.text):
                    yield sentence
        for sentence in (await judging).release.finish():
            yield sentence

    async def _judging(self, writer: Writer) -> "Judging":
        """Made ready beside the model's own thinking: reading the evidence costs tens of milliseconds."""
        if writer.name == QUOTING:
            return Judging(release=Release(self.links, quoting(self.manner)), evidence=None)
        return await asyncio.to_thread(self._guarded)

    def _guarded(self) -> "Judging":
        evidence = self._evidence()
        release = Release(self.links, self.manner, Guard(evidence, self.rules))
        return Judging(release=release, evidence=evidence)

    def _evidence(self) -> GuardEvidence:
        """What proves: the evidence, or of a transform the answer that it transforms."""
        if self.task.purpose == "transform":
            draft = Block(
                number=0, title="", text=self.task.draft, scope=Scope.COMPANY, language=self.rules.language
            )
            return GuardEvidence([draft])
        return GuardEvidence.of(
            self.task.evidence,
            directs=self.task.directs,
            question=self.task.question.text,
            language=self.rules.language,
        )

    # --- Sentence by sentence -----------------------------------------------------------------

    async def _told(
        self, sentence: Sentence, writer: Writer, judging: "Judging"
    ) -> AsyncIterator[AnswerPart]:
        match sentence:
            case Ready(safety=safety):
                note(self.trail, safety)
                for part in self._parts(sentence):
                    yield part
            case Withheld(reason=reason):
                self.trail.count(reason)
            case Held() if judging.evidence is not None:
                self.trail.count("held")
                self.trail.count(f"held_{sentence.reason.value}")
                yield Status(state="checking")
                mended = await self._mended(sentence, writer, judging.evidence)
                if mended is not None:
                    async with flowing(self._told(judging.release.ready(mended), writer, judging)) as parts:
                        async for part in parts:
                            yield part
            case Named(sentence=words):
                told = self._redacted(words, judging) or await self._unnamed(words, writer, judging)
                note(self.trail, Safety.EXTERNAL_FALLBACK if told is None else told.safety)
                for part in self._parts(told) if told else ():
                    yield part

    def _parts(self, ready: Ready) -> Iterator[AnswerPart]:
        self.trail.mark("first_text")
        self.trail.released += 1
        delta = self.voice.delta(ready.text)
        yield delta
        for number in ready.numbers:
            if citation := self.citer.mark(number):
                yield Cited(citation=citation, seq=delta.seq)

    async def _mended(self, held: Held, writer: Writer, evidence: GuardEvidence) -> Proven | None:
        """The sentence repaired, else the evidence's own words, else nothing."""
        repaired = await self._repaired(held, writer, evidence)
        if repaired is not None:
            self.trail.count("repaired")
            return repaired
        quoted = quotation(held, evidence)
        proven = judge(f"{quoted} ", evidence, self.rules) if quoted else None
        self.trail.count("quoted" if isinstance(proven, Proven) else "dropped")
        return proven if isinstance(proven, Proven) else None

    def _redacted(self, sentence: str, judging: "Judging") -> Ready | None:
        """The sentence with public words in the name's place, when it still stands; None where there are none."""
        text = self.manner.discretion.redacted(sentence)
        if text is None:
            return None
        verdict = judge(text, judging.evidence, self.rules) if judging.evidence else unjudged(text)
        told = judging.release.ready(verdict) if isinstance(verdict, Proven) else None
        return replace(told, safety=Safety.EXTERNAL_REDACTED) if isinstance(told, Ready) else None

    async def _unnamed(self, sentence: str, writer: Writer, judging: "Judging") -> Ready | None:
        """The sentence written anew without its private name; None where even that names one, or can't be had."""
        if judging.evidence is None:
            return None
        draft = self.manner.discretion.blanked(sentence)
        text = await self._rewritten(draft, "unnamed", writer)
        if text is None or self.manner.discretion.names(text):
            return None
        mended = self._proven(text, sentence, judging.evidence)
        told = judging.release.ready(mended) if mended else None
        return replace(told, safety=Safety.EXTERNAL_REGENERATED) if isinstance(told, Ready) else None

    async def _repaired(self, held: Held, writer: Writer, evidence: GuardEvidence) -> Proven | None:
        text = await self._rewritten(held.sentence, "unproven", writer)
        return None if text is None else self._proven(text, held.sentence, evidence)

    async def _rewritten(self, draft: str, why: str, writer: Writer) -> str | None:
        """One sentence written anew by the model; None where there is no time or leave for it."""
        left_s = self.task.question.deadline - self.trail.clock.monotonic()
        if self._repairs >= MOST_REPAIRS or left_s < 2 * REPAIR_S or self.task.purpose != "answer":
            return None
        self._repairs += 1
        try:
            return await asyncio.wait_for(self._anew(draft, why, writer), REPAIR_S)
        except (ProviderUnavailable, TimeoutError):
            self.trail.count("repair_failed")
            return None

    async def _anew(self, draft: str, why: str, writer: Writer) -> str:
        text = ""
        task = replace(self.task, purpose="repair", draft=draft, task=why)
        async with flowing(writer.write(task)) as pieces:
            async for piece in pieces:
                self.trail.spend(piece.usage)
                text += piece.text
        return text

    def _proven(self, text: str, sentence: str, evidence: GuardEvidence) -> Proven | None:
        """The rewritten sentence, when each of its own sentences stands the same test."""
        release = Release(self.links, self.manner, Guard(evidence, self.rules))
        found = (*release.feed(text.strip()), *release.finish())
        if not found or not all(isinstance(sentence, Ready) for sentence in found):
            return None
        gap = sentence[len(sentence.rstrip()) :]
        verdict = judge(text.strip() + gap, evidence, self.rules)
        return verdict if isinstance(verdict, Proven) else None


def manner_for(
    site: Site, discretion: Discretion, marks: PromptMarks, language: str, task: WritingTask
) -> Manner:
    """How a site wants an answer to read. A transform was asked for at the length that it has."""
    is_answer = task.purpose == "answer"
    return Manner(
        discretion=discretion,
        marks=marks,
        name=site.persona.name,
        team_names=site.persona.team_names,
        language=language,
        paragraphs=site.speaking.paragraphs if is_answer else None,
        sentences=site.speaking.sentences if is_answer else None,
        must_prove=is_answer and orders(task.question.text),
    )


def quoting(manner: Manner) -> Manner:
    """
    For a writer that quotes: it keeps to the length itself, its pages may speak of language models, and a
    quotation stays as it is written, the company's name too.
    """
    return replace(
        manner, team_names=(), paragraphs=None, sentences=None, must_prove=False, must_present=False
    )


def rules_for(site: Site, rows: Sequence[SourceRow], language: str) -> GuardRules:
    """What the site lets pass, and whom it knows: names from its sources, contacts from its site file."""
    handover, persona = site.handover, site.persona
    known = (handover.email, handover.url, site.site.url, *site.privacy.public_contacts)
    return GuardRules(
        own_names=tuple(filter(None, (site.site.name, persona.name, *persona.team_names))),
        names=tuple(row.title for row in rows if row.scope in NAMED and not row.person_key),
        people=tuple(
            (row.person_key, row.title) for row in rows if row.person_key and row.scope is Scope.PERSON
        ),
        known=tuple(filter(None, known)),
        fixed=frozenset(sentences(language).says.values()),
        language=language,
    )
