"""
What the core needs from outside, in our words. One or two methods each; adapters keep them.

All calls are async and raise only errors of `magpie.errors`.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Protocol, TypeVar

from magpie.model import (
    AnswerId,
    Band,
    ChatPiece,
    ChunkId,
    Claim,
    Classification,
    Conversation,
    ConversationRow,
    DirtyFile,
    Document,
    EmbeddingModel,
    Evidence,
    Forgotten,
    GateReport,
    IngestProgress,
    Passage,
    Plan,
    PlanItem,
    Prompt,
    Pruned,
    Purged,
    Question,
    Rating,
    Reading,
    Recorded,
    Revision,
    RouteAnswer,
    RunId,
    RunProgress,
    Scope,
    Selection,
    Setback,
    SourceKey,
    StoredSource,
    Vector,
    Version,
    VersionDiff,
    VersionId,
    Viewer,
    WebAnswer,
    WebRequest,
    Wish,
)
from magpie.site import Rows

T = TypeVar("T")

# --- Models -----------------------------------------------------------------------------------


class Embedder(Protocol):
    """Texts to unit vectors. Prefixes of the model are added inside."""

    @property
    def model(self) -> EmbeddingModel: ...

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector a text, in order. Raises: QuotaExhausted, ProviderRefused, ProviderUnavailable."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector a query, in order. Raises as `embed_passages`."""
        ...


class ChatModel(Protocol):
    """A chat model of one provider."""

    @property
    def name(self) -> str: ...

    def stream(self, prompt: Prompt) -> AsyncIterator[ChatPiece]:
        """Pieces as they come; closing the iterator ends the call. Raises: ProviderUnavailable and below."""
        ...


class Classifier(Protocol):
    """What kind of message is it? Never raises for a bad model answer: that is a RAG question."""

    async def classify(self, question: Question) -> Classification: ...


class Planner(Protocol):
    """A message to at most six standalone questions. Never raises for a bad model answer."""

    async def plan(self, question: Question) -> Plan: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingTask:
    """
    What a writer writes from. `directs` are values computed from metadata that may be said as
    they are; `purpose` is `answer`, `handoff`, `clarify`, `transform` or `repair`.
    """

    question: Question
    plan: Plan
    evidence: tuple[Evidence, ...]
    language: str
    purpose: str = "answer"
    directs: tuple[str, ...] = ()
    is_doubtful: bool = False
    """It may not be a question to this site at all: only what is sure is worth telling."""
    choices: tuple[str, ...] = ()
    task: str = ""
    draft: str = ""


class Writer(Protocol):
    """Evidence to text, piece by piece. Citations are tokens `[n]` with the evidence's number."""

    @property
    def name(self) -> str: ...

    def write(self, task: WritingTask) -> AsyncIterator[ChatPiece]: ...


# --- The corpus, read -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """
    One search. `vector` is of the index that `index` names; None searches by keyword alone.
    `model` is the identity of the model that made it: the search is refused where the index holds
    another's; empty asks for no check. `words` is the text for the keyword leg; `languages` are those it is parsed for.
    """

    words: str
    vector: Vector | None
    index: str = "primary"
    model: str = ""
    languages: tuple[str, ...] = ("en",)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """Narrows a search; empty means any."""

    source_types: frozenset[str] = frozenset()
    scopes: frozenset[Scope] = frozenset()
    person_key: str | None = None
    keys: frozenset[SourceKey] = frozenset()
    published_from: date | None = None
    published_to: date | None = None


class Passages(Protocol):
    """Searches one version, as one viewer. Every answer is filtered by the viewer's visibilities."""

    async def search(
        self,
        queries: Sequence[SearchQuery],
        *,
        version: VersionId,
        viewer: Viewer,
        limit: int,
        narrow: SearchFilter = SearchFilter(),
    ) -> tuple[tuple[Passage, ...], ...]:
        """
        Candidates for each query, in one statement; `semantic` and `keyword` raw, `score` 0.

        At most `limit` by vector and `limit` by keyword a query, both legs' scores filled in
        for every candidate where the leg could compute it.
        """
        ...

    async def keyword(
        self,
        words: str,
        *,
        version: VersionId,
        viewer: Viewer,
        limit: int,
        languages: Sequence[str],
        narrow: SearchFilter = SearchFilter(),
    ) -> tuple[Passage, ...]:
        """The keyword rescue: any of the words, rare ones first, bounded."""
        ...

    async def exact(
        self,
        term: str,
        *,
        version: VersionId,
        viewer: Viewer,
        limit: int,
        narrow: SearchFilter = SearchFilter(),
    ) -> tuple[Passage, ...]:
        """Chunks that hold the term with strict boundaries: `Go` never matches `going`; `C++`, `.NET` hold."""
        ...

    async def of_sources(
        self, keys: Sequence[SourceKey], *, version: VersionId, viewer: Viewer, first_only: bool = True
    ) -> tuple[Passage, ...]:
        """Chunks of these sources, in the order of the keys, then of the text."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """A source without its text, for routes that answer from metadata."""

    key: SourceKey
    title: str
    url: str | None
    path: str
    scope: Scope
    published: date | None
    person_key: str | None
    reference_rank: int | None
    metadata: Mapping[str, object] = field(default_factory=dict)


class Catalogue(Protocol):
    """What sources a version has. Small enough to keep in memory by version."""

    async def sources(self, *, version: VersionId, viewer: Viewer) -> tuple[SourceRow, ...]: ...

    async def active_version(self) -> Version:
        """Raises: CorpusInvalid when nothing was ever published; DatabaseUnavailable."""
        ...


class Router(Protocol):
    """
    Plan items to passages, each by the first route of the site file that matches it.

    All items of one call are searched together: one embedding batch, one statement. Raises:
    DatabaseUnavailable; a failing embedder is its own business (fallback index, then keywords).
    """

    async def answer(
        self, question: Question, items: Sequence[PlanItem], version: Version
    ) -> tuple[RouteAnswer, ...]:
        """One answer an item, in order. `question.text` are the visitor's own words, whole."""
        ...


# --- The corpus, written ----------------------------------------------------------------------


class CorpusFiles(Protocol):
    """Where documents come from: a folder, a bucket."""

    def paths(self) -> AsyncIterator[tuple[str, int]]:
        """Path and size in bytes of each file, in a stable order."""
        ...

    async def read(self, path: str) -> Document: ...


class CorpusStore(CorpusFiles, Protocol):
    """A corpus that may be written to."""

    async def write(self, path: str, raw: bytes) -> None:
        """Whole or not at all."""
        ...

    async def remove(self, path: str) -> None:
        """No error where there is none."""
        ...


class RowReader(Protocol):
    """Rows of a database or a CMS."""

    def pages(self, path: str, rows: Rows) -> AsyncGenerator[Sequence[Mapping[str, Any]], None]:
        """
        All rows, in pages, as plain JSON values. `path` is their name in refusals.

        Raises: DocumentRefused `no_connection`, `unreachable`, `bad_query`, `bad_rows`, `too_slow`.
        """
        ...


class Web(Protocol):
    """The web, as far as this deployment may see it; gentle in pace, robots.txt respected."""

    async def ask(self, request: WebRequest) -> WebAnswer:
        """Never raises for what an address, a server or a name service does: that is `WebFailed`."""
        ...


class Window(Protocol):
    """What an embedding model reads of a passage before it cuts the rest."""

    @property
    def window_tokens(self) -> int | None:
        """None: no limit."""
        ...

    def count_tokens(self, text: str) -> int:
        """How many tokens the model would read of the text, its window left out of account."""
        ...


class HostileReader(Protocol):
    """Reads a document that may attack its reader, where it can do no harm."""

    async def read(self, document: Document, kind: str) -> tuple[Reading, ...]:
        """
        By the reader of a kind: `pdf`, `markdown`, `html`.

        Raises: DocumentRefused, `too_slow` and `too_heavy` among its codes.
        """
        ...


class Progress(Protocol):
    """Is told how far a run is; may be called often."""

    def __call__(self, progress: IngestProgress) -> None: ...


class EmbeddingCache(Protocol):
    """Vectors by model and text hash."""

    async def get(self, model: EmbeddingModel, hashes: Sequence[str]) -> Mapping[str, Vector]: ...

    async def put(self, model: EmbeddingModel, vectors: Mapping[str, Vector]) -> None: ...


class QuestionCache(Protocol):
    """Questions that a chat model made, by model and text hash."""

    async def get(self, model: str, hashes: Sequence[str]) -> Mapping[str, tuple[str, ...]]: ...

    async def put(self, model: str, questions: Mapping[str, tuple[str, ...]]) -> None: ...


class Draft(Protocol):
    """
    A version in the making. Nothing of it is seen before `activate`; leaving the context
    without it removes what was staged.
    """

    @property
    def id(self) -> VersionId: ...

    async def add(self, revisions: Iterable[Revision]) -> None:
        """Stage new or changed sources, in batches."""
        ...

    async def keep(self, sources: Sequence[StoredSource]) -> None:
        """Carry unchanged revisions over (their path may be new)."""
        ...

    async def seal(self) -> Version:
        """Index and count what is staged, so that the draft can be searched like an active version."""
        ...

    async def activate(self, *, expected_sources: int, expected_chunks: int) -> Version:
        """
        One transaction: counts checked, pointer moved.

        Raises: CorpusInvalid on a mismatch; Overtaken when the parent is not active any more.
        """
        ...


class Gate(Protocol):
    """Asks a sealed draft the site's own questions before the switch."""

    async def judge(self, draft: Version, active: Version | None) -> GateReport:
        """Raises: CorpusInvalid where there are no questions to ask; DatabaseUnavailable."""
        ...


class Versions(Protocol):
    """The history of the corpus."""

    async def active(self) -> Version | None: ...

    async def stored(self, version: VersionId) -> tuple[StoredSource, ...]: ...

    def draft(
        self,
        *,
        parent: VersionId | None,
        primary: EmbeddingModel | None,
        fallback: EmbeddingModel | None,
        site_text: str,
        note: str = "",
    ) -> AbstractAsyncContextManager[Draft]: ...


class History(Protocol):
    """What was, going back, and taking away."""

    async def versions(self) -> tuple[Version, ...]:
        """Those that are kept, newest first."""
        ...

    async def diff(self, older: VersionId, newer: VersionId) -> VersionDiff:
        """Raises: CorpusInvalid for a version that is not kept."""
        ...

    async def rollback(self, version: VersionId) -> Version:
        """Move the pointer to a kept version. Raises: CorpusInvalid."""
        ...

    async def prune(self, keep: int) -> Pruned:
        """Let all but the newest `keep` go, never the active one, nor one that was active just now."""
        ...

    async def purge(self, key: SourceKey) -> Purged:
        """Remove a source from every version, vector and cache. Raises: CorpusInvalid where no version holds it."""
        ...


class MissingVectors(Protocol):
    """Chunks without a fallback vector, for `rebuild`."""

    async def next_batch(self, limit: int) -> tuple[tuple[ChunkId, str], ...]: ...

    async def fill(self, vectors: Mapping[ChunkId, Vector]) -> None: ...


class Reindexing(Protocol):
    """Another model's vectors, filled in beside the live ones, and the switch to them."""

    async def begin(self, models: Mapping[str, EmbeddingModel]) -> None:
        """By the index' name. A run that was stopped on its way to the same model is gone on with."""
        ...

    async def next_batch(
        self, name: str, *, after: ChunkId, limit: int
    ) -> tuple[tuple[ChunkId, str], ...]: ...

    async def fill(self, name: str, vectors: Mapping[ChunkId, Vector]) -> None: ...

    async def build(self, names: Sequence[str]) -> None: ...

    async def switch(
        self,
        names: Sequence[str],
        *,
        primary: EmbeddingModel,
        fallback: EmbeddingModel | None,
        site_text: str,
        note: str,
    ) -> Version | None:
        """The new active version; None where chunks came in that lack a vector."""
        ...


class DirtyFiles(Protocol):
    """Files that came, changed or went since a run took them in."""

    async def note(self, path: str, at_ms: int) -> None:
        """Something happened to the file; told twice or late it does no harm. One write."""
        ...

    async def all(self) -> tuple[DirtyFile, ...]: ...

    async def settle(self, files: Sequence[DirtyFile]) -> None:
        """A run has taken them in: forget each that nothing was noted of since."""
        ...


class Wishes(Protocol):
    """Runs that somebody asked for and that have not begun."""

    async def ask(self, wish: Wish) -> None: ...

    async def all(self) -> tuple[Wish, ...]:
        """The oldest first."""
        ...

    async def forget(self, run: RunId) -> None: ...


class Claims(Protocol):
    """Which run goes on: one at a time."""

    async def now(self) -> Claim: ...

    async def take(self, run: RunId, at_ms: int, *, dead: RunId | None) -> bool:
        """Whether the run has it now: nobody had it, or the run that is known to be dead. One conditional write."""
        ...

    async def release(self, run: RunId, setback: Setback | None) -> None:
        """The run has ended, well without a setback. Nothing happens where another one has it already."""
        ...


class RunMachine(Protocol):
    """What carries a run through its steps: the state machine."""

    async def start(self, run: RunId) -> None:
        """Begin; a run that began already goes on. Raises: StorageUnavailable."""
        ...

    async def is_running(self, run: RunId) -> bool: ...


class Work(Protocol):
    """What passes between the steps of a run, by name. Values are frozen dataclasses, kept as they are."""

    async def keep(self, name: str, value: object) -> None:
        """Raises: StorageUnavailable."""
        ...

    async def find(self, name: str, kind: type[T]) -> T | None:
        """None where there is nothing of that name. Raises: StorageUnavailable."""
        ...

    async def names(self, prefix: str) -> tuple[str, ...]:
        """All names that begin so."""
        ...


class ErasableWork(Work, Protocol):
    """The same for whoever may take things out of it: no step of a run may."""

    async def erase(self, name: str) -> int:
        """Every version of what has that name; how many there were. Raises: StorageUnavailable."""
        ...


class IngestRuns(Protocol):
    """Runs on AWS that somebody starts and watches. One goes on at a time; others wait for it."""

    async def start(
        self, selection: Selection, *, accept_vanishing: bool = False, skip_gate: bool = False
    ) -> RunId:
        """
        Ask for a run: over all of the corpus, one file or one source.

        What the selection names is looked up by the run itself; a slip shows in its progress.
        Raises: DatabaseUnavailable, StorageUnavailable.
        """
        ...

    async def progress(self, run: RunId) -> RunProgress:
        """Raises: RunUnknown."""
        ...


# --- The record -------------------------------------------------------------------------------


class Records(Protocol):
    """Writes down what was asked, answered and thought of it; can't read it back."""

    @property
    def is_awake(self) -> bool:
        """Whether writing would wake nobody: a connection stands."""
        ...

    async def record(self, recorded: Recorded) -> None:
        """Once for each answer; one that was `begun` gets its end. Raises: DatabaseUnavailable and below."""
        ...

    async def rate(self, rating: Rating, *, may_replace: bool) -> bool:
        """False where the answer was rated already and this may not replace it."""
        ...


class Conversations(Protocol):
    """What was recorded, read and taken away. `since` hides what is older than the owner keeps it."""

    async def latest(self, limit: int, *, since: datetime) -> tuple[ConversationRow, ...]: ...

    async def session_of(self, name: str) -> str | None:
        """The session that this is the id of, or of one of whose answers."""
        ...

    async def conversation(self, session_id: str, *, since: datetime) -> Conversation: ...

    async def expire(self, *, since: datetime) -> Forgotten:
        """Remove what is older."""
        ...


class Forgets(Protocol):
    """Keeps something of sessions, and can let go of one."""

    async def forget(self, session_id: str) -> Forgotten:
        """Remove all that is kept of it."""
        ...


# --- The edge ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """Whom a token names: the provider's id of the person, and the roles it vouches for."""

    subject: str
    roles: tuple[str, ...]


class TokenVerifier(Protocol):
    """Believes tokens of one identity provider, and no others."""

    async def verify(self, token: str) -> Bearer:
        """
        Raises: NotAllowed whose `code` says why (`expired`, `forged`, `wrong_audience`,
        `bad_algorithm`, `unknown_key`, ...); ProviderUnavailable when its keys can't be fetched.
        """
        ...


class Viewers(Protocol):
    """Who is behind a visitor's bearer token."""

    async def who(self, bearer: str) -> Viewer:
        """Never raises: whatever is wrong with a token makes its bearer a guest, with a note."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """
    Who sends a question, as far as limits go. `address` is what our own proxies saw; `is_new` says
    that the session began with this very request: no ticket came, or none that held.
    """

    address: str
    session_id: str
    is_new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """
    A question with a key of its visitor's own making. `fingerprint` covers all that the answer
    depends on: the same key with another one is a slip.
    """

    key: str
    fingerprint: str
    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskClaim:
    """
    Who answers an ask. `is_ours`: it was new, and is ours to answer; else `is_same` tells whether it is
    the same question as before. `life` tells asks apart that had the same key one after the other.
    """

    ask: Ask
    life: str
    is_ours: bool
    is_same: bool
    begun_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What was said, a line an event; the next batch follows within `next_s` unless the answer died."""

    number: int
    said: bytes
    is_last: bool
    next_s: float


class Asks(Protocol):
    """What was asked with a key, and what was said to it, for ten minutes. Raises: DatabaseUnavailable."""

    async def find(self, ask: Ask) -> AskClaim | None:
        """Who answers or has answered it; None for a new one."""
        ...

    async def claim(self, ask: Ask) -> AskClaim:
        """Ours, or whoever's came first: of any number at once exactly one is ours."""
        ...

    async def release(self, claim: AskClaim) -> None:
        """Nothing was said and nothing paid: the ask may come again as if it were new."""
        ...

    async def append(self, claim: AskClaim, batch: Batch) -> None: ...

    async def batch(self, claim: AskClaim, number: int) -> Batch | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Money that is held for one call, in billionths of a dollar; `place` is its holder's own note."""

    nano_usd: int
    place: str


class Spending(Protocol):
    """What models may cost and have cost. Raises: DatabaseUnavailable."""

    async def band(self) -> Band:
        """What may be spent on an answer that begins now."""
        ...

    async def reserve(self, nano_usd: int) -> Hold | None:
        """Hold so much under every cap at once, or nothing."""
        ...

    async def settle(self, hold: Hold, nano_usd: int) -> None:
        """The call has cost this much. Never raises: what can't be settled has cost its worst."""
        ...


class Stops(Protocol):
    """Answers that visitors told to stop, known to every process."""

    async def stop(self, answer_id: AnswerId) -> None:
        """Raises: DatabaseUnavailable."""
        ...

    async def is_stopped(self, answer_id: AnswerId) -> bool: ...


class Limiter(Protocol):
    """Admits questions or raises TooManyQuestions. One conditional write a check."""

    async def admit(self, caller: Caller) -> None: ...

    async def admit_again(self, caller: Caller) -> None:
        """The same ask once more, for what was lost on its way: no question of its own."""
        ...
