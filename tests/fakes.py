"""
Plain classes for the core's ports. They hold what they are given and note what they are asked;
nothing here decides anything.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from magpie.errors import MagpieError, TooManyQuestions
from magpie.model import (
    ChatPiece,
    ChunkId,
    Classification,
    Intent,
    Language,
    Origin,
    Passage,
    Plan,
    PlanItem,
    Prompt,
    Question,
    Rating,
    Recorded,
    RevisionId,
    RouteAnswer,
    Scope,
    SourceKey,
    Usage,
    Version,
    VersionId,
    Viewer,
    Visibility,
)
from magpie.ports import Ask, AskClaim, Batch, Caller, SourceRow, WritingTask

VERSION = Version(
    id=VersionId(7),
    parent_id=None,
    created_at=datetime(2026, 11, 30, tzinfo=UTC),
    source_count=1,
    chunk_count=1,
    primary=None,
    fallback=None,
    site_hash="",
    active=True,
)


def passage(
    content: str = "We answer within one working day.",
    *,
    chunk: int = 1,
    key: str = "page:contact",
    title: str = "Contact",
    url: str | None = "https://sennit.example/contact/",
    origin: Origin = Origin.FIRST_PARTY,
    scope: Scope = Scope.COMPANY,
    score: float = 0.9,
    published: date | None = None,
    metadata: Mapping[str, object] | None = None,
) -> Passage:
    """A passage of a small site, all of it to be overridden."""
    source_type, _, source_key = key.partition(":")
    return Passage(
        chunk_id=ChunkId(chunk),
        revision_id=RevisionId(chunk),
        key=SourceKey(source_type=source_type, source_key=source_key),
        path=f"pages/{source_key}.md",
        title=title,
        url=url,
        content=content,
        index=0,
        origin=origin,
        scope=scope,
        visibility=Visibility.PUBLIC,
        language=Language("en"),
        published=published,
        content_hash=f"hash-{chunk}",
        metadata=metadata or {},
        score=score,
    )


@dataclass
class FakeCatalogue:
    """One active version; `delay_s` is a database that wakes up, `error` one that doesn't."""

    version: Version = VERSION
    delay_s: float = 0.0
    error: MagpieError | None = None
    asked: int = 0

    async def active_version(self) -> Version:
        self.asked += 1
        await asyncio.sleep(self.delay_s)
        if self.error is not None:
            raise self.error
        return self.version

    async def sources(self, *, version: VersionId, viewer: Viewer) -> tuple[SourceRow, ...]:
        return ()


@dataclass
class FakeRouter:
    """
    Answers each query with what it is told; `default` for the others. `embed_s` is what a search
    costs; queries in `certain` belong to a deterministic route and cost `certain_s`.
    """

    default: tuple[Passage, ...] = ()
    by_query: Mapping[str, tuple[Passage, ...]] = field(default_factory=dict)
    certain: frozenset[str] = frozenset()
    choices: tuple[str, ...] = ()
    unconfirmed: str = ""
    direct: str = ""
    embed_s: float = 0.0
    certain_s: float = 0.0
    error: MagpieError | None = None
    asked: list[tuple[str, ...]] = field(default_factory=list)
    cancelled: int = 0

    async def answer(
        self, question: Question, items: Sequence[PlanItem], version: Version
    ) -> tuple[RouteAnswer, ...]:
        self.asked.append(tuple(item.query for item in items))
        if self.error is not None:
            raise self.error
        try:
            is_certain = all(item.query in self.certain for item in items)
            await asyncio.sleep(self.certain_s if is_certain else self.embed_s)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return tuple(self._one(item) for item in items)

    def _one(self, item: PlanItem) -> RouteAnswer:
        is_certain = item.query in self.certain
        return RouteAnswer(
            route="links" if is_certain else "semantic",
            item=item,
            passages=self.by_query.get(item.query, self.default),
            certain=is_certain,
            choices=self.choices,
            unconfirmed=self.unconfirmed,
            direct=self.direct,
        )


@dataclass
class FakeClassifier:
    """Always the same kind of message, after a while."""

    intent: Intent = Intent.RAG_QUESTION
    task: str = ""
    response: str = ""
    language: str = "en"
    delay_s: float = 0.0
    malformed: bool = False
    decided_by: str = "model"
    asked: int = 0
    cancelled: int = 0

    async def classify(self, question: Question) -> Classification:
        self.asked += 1
        try:
            await asyncio.sleep(self.delay_s)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return Classification(
            intent=self.intent,
            task=self.task,
            response=self.response,
            language=Language(self.language),
            decided_by=self.decided_by,
            malformed=self.malformed,
            usage=Usage(calls=1),
        )


@dataclass
class FakePlanner:
    """Plans the queries it is told, or the visitor's own words; after a while."""

    queries: tuple[str, ...] = ()
    delay_s: float = 0.0
    malformed: bool = False
    asked: int = 0
    cancelled: int = 0

    async def plan(self, question: Question) -> Plan:
        self.asked += 1
        try:
            await asyncio.sleep(self.delay_s)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        items = tuple(PlanItem(query=query) for query in self.queries or (question.text,))
        return Plan(items=items, decided_by="model", malformed=self.malformed, usage=Usage(calls=1))


@dataclass
class FakeWriter:
    """Writes the pieces it is told; then `error`, where there is one."""

    pieces: tuple[str, ...] = ("We answer within one working day. [1]",)
    error: MagpieError | None = None
    first_s: float = 0.0
    piece_s: float = 0.0
    name: str = "fake-writer"
    tasks: list[WritingTask] = field(default_factory=list)
    closed: int = 0

    async def write(self, task: WritingTask) -> AsyncIterator[ChatPiece]:
        self.tasks.append(task)
        try:
            await asyncio.sleep(self.first_s)
            for piece in self.pieces:
                yield ChatPiece(text=piece)
                await asyncio.sleep(self.piece_s)
            if self.error is not None:
                raise self.error
            yield ChatPiece(usage=Usage(calls=1, input_tokens=10, output_tokens=5), finish_reason="stop")
        finally:
            self.closed += 1


@dataclass
class FakeChatModel:
    """A chat model that gives its answers in turn; the last one again and again. An error is raised."""

    answers: tuple[str | MagpieError, ...] = ("",)
    name: str = "fake-model"
    delay_s: float = 0.0
    prompts: list[Prompt] = field(default_factory=list)

    async def stream(self, prompt: Prompt) -> AsyncIterator[ChatPiece]:
        answer = self.answers[min(len(self.prompts), len(self.answers) - 1)]
        self.prompts.append(prompt)
        await asyncio.sleep(self.delay_s)
        if isinstance(answer, MagpieError):
            raise answer
        yield ChatPiece(text=answer)
        yield ChatPiece(usage=Usage(calls=1, input_tokens=100, output_tokens=20), finish_reason="stop")


@dataclass
class FakeStops:
    """Answers that somebody told to stop elsewhere."""

    stopped: set[str] = field(default_factory=set)

    async def stop(self, answer_id: str) -> None:
        self.stopped.add(answer_id)

    async def is_stopped(self, answer_id: str) -> bool:
        return answer_id in self.stopped


@dataclass
class FakeAsks:
    """Asks and what was said to them; `error` is a table out of reach."""

    claims: dict[str, AskClaim] = field(default_factory=dict)
    batches: dict[tuple[str, int], Batch] = field(default_factory=dict)
    error: MagpieError | None = None

    async def find(self, ask: Ask) -> AskClaim | None:
        if self.error is not None:
            raise self.error
        held = self.claims.get(ask.key)
        return held and replace(held, is_ours=False, is_same=held.ask.fingerprint == ask.fingerprint)

    async def claim(self, ask: Ask) -> AskClaim:
        if held := await self.find(ask):
            return held
        at = datetime.now(UTC).timestamp()
        self.claims[ask.key] = AskClaim(ask=ask, life="1", is_ours=True, is_same=True, begun_s=at)
        return self.claims[ask.key]

    async def release(self, claim: AskClaim) -> None:
        self.claims.pop(claim.ask.key)

    async def append(self, claim: AskClaim, batch: Batch) -> None:
        if self.error is not None:
            raise self.error
        self.batches[claim.ask.key, batch.number] = batch

    async def batch(self, claim: AskClaim, number: int) -> Batch | None:
        return self.batches.get((claim.ask.key, number))


@dataclass
class FakeLimiter:
    """Admits `left` questions; `error` is a table that can't be reached."""

    left: int = 1_000_000
    retry_after_s: int = 42
    error: MagpieError | None = None
    callers: list[Caller] = field(default_factory=list)
    replays: list[Caller] = field(default_factory=list)

    async def admit_again(self, caller: Caller) -> None:
        self.replays.append(caller)

    async def admit(self, caller: Caller) -> None:
        self.callers.append(caller)
        if self.error is not None:
            raise self.error
        if self.left <= 0:
            raise TooManyQuestions(self.retry_after_s)
        self.left -= 1


@dataclass
class FakeRecords:
    """Keeps what it is given; `error` is raised, after `delay_s`."""

    is_awake: bool = True
    error: MagpieError | None = None
    delay_s: float = 0.0
    kept: list[Recorded] = field(default_factory=list)
    ratings: dict[str, Rating] = field(default_factory=dict)

    async def record(self, recorded: Recorded) -> None:
        await asyncio.sleep(self.delay_s)
        if self.error is not None:
            raise self.error
        self.kept.append(recorded)

    async def rate(self, rating: Rating, *, may_replace: bool) -> bool:
        if self.error is not None:
            raise self.error
        known = self.ratings.get(rating.answer_id)
        if known is not None and not (may_replace and known.session_id == rating.session_id):
            return False
        self.ratings[rating.answer_id] = rating
        return True
