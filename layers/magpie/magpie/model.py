"""
Every value that passes between steps. Frozen; a sequence is a tuple; a change is `replace`.

In, a document's way:   Document > Reading > Source > Chunk > EmbeddedChunk > Version
Out, a question's way:  Question > Classification, Plan > Passage > Evidence > AnswerPart
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal, NewType

ChunkId = NewType("ChunkId", int)
RevisionId = NewType("RevisionId", int)
VersionId = NewType("VersionId", int)
RunId = NewType("RunId", str)
AnswerId = NewType("AnswerId", str)
Vector = tuple[float, ...]
"""A unit vector (L2 norm 1); its length is the dimension of its model."""

Language = NewType("Language", str)
"""A lower-case ISO 639-1 code, `en`; a region is dropped."""


class Origin(StrEnum):
    """Who vouches."""

    FIRST_PARTY = "first_party"
    TRUSTED_EXTERNAL = "trusted_external"
    PRIVATE_PROFILE = "private_profile"
    POLICY = "policy"


class Scope(StrEnum):
    """What a source proves."""

    COMPANY = "company"
    TEAM = "team"
    PERSON = "person"
    PROJECT = "project"
    PARTNER = "partner"
    ARTICLE = "article"
    COMMERCIAL = "commercial"
    LINKS = "links"
    ASSISTANT = "assistant"


class Visibility(StrEnum):
    """Who may be told."""

    PUBLIC = "public"
    INTERNAL = "internal"


# --- A document's way -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """
    One thing as it came in: a file of the corpus.

    `path` is relative to the corpus with forward slashes. `raw_hash` is the SHA-256 of `raw`, hex.
    """

    path: str
    raw: bytes
    raw_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """`level` 1 to 6; `start` is the offset of its line in the reading's text, in code points."""

    level: int
    text: str
    start: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something an owner should know of a document that was read all the same."""

    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """
    What a reader found in a document, or in one record of it, before the site's rules apply.

    `text` is clean (NFC, no control characters, LF) Markdown-flavoured plain text; spans of
    chunks point into it. `record_key` is set where one file holds many sources. `fields` are
    the front matter or the record, as plain JSON values.
    """

    text: str
    title: str | None = None
    published: date | None = None
    language: Language | None = None
    url: str | None = None
    headings: tuple[Heading, ...] = ()
    record_key: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceKey:
    """The stable identity of a source."""

    source_type: str
    source_key: str

    def __str__(self) -> str:
        return f"{self.source_type}:{self.source_key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """
    A document made clean and typed. Its content at one time is a revision.

    `content_hash` is the fingerprint: SHA-256 over the normalised envelope, the path left out.
    `raw_hash` and `rules_hash` tell whether the file must be read again.
    `metadata` holds plain JSON values only.
    """

    key: SourceKey
    path: str
    title: str
    text: str
    origin: Origin
    scope: Scope
    visibility: Visibility
    language: Language
    url: str | None = None
    published: date | None = None
    person_key: str | None = None
    reference_rank: int | None = None
    headings: tuple[Heading, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    content_hash: str = ""
    raw_hash: str = ""
    rules_hash: str = ""
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of a text, in code points: `text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """
    A stored piece of a revision. `content` is shown; `header` (title, URL, ...) is only
    embedded and searched, `questions` that it answers are only embedded. `content_hash` covers
    header and content.
    """

    index: int
    content: str
    span: Span
    header: str = ""
    content_hash: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    questions: tuple[str, ...] = ()

    @property
    def bare_text(self) -> str:
        """Header and content."""
        return f"{self.header}\n\n{self.content}" if self.header else self.content

    @property
    def embedding_text(self) -> str:
        """What the embedding model reads. The questions last: a model that cuts text cuts them."""
        return "\n\n".join(filter(None, (self.bare_text, "\n".join(self.questions))))


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """One index' model. `name` with provider and prefix is what vectors must share to compare."""

    provider: str
    name: str
    dimension: int
    query_prefix: str = ""
    passage_prefix: str = ""

    @property
    def identity(self) -> str:
        """The key under which vectors of this model are cached and compared."""
        return f"{self.provider}/{self.name}/{self.dimension}/{self.passage_prefix}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedChunk:
    """A chunk with its vectors; at least one is there."""

    chunk: Chunk
    primary: Vector | None
    fallback: Vector | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A source with its chunks, ready to be stored."""

    source: Source
    chunks: tuple[EmbeddedChunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSource:
    """What a version already holds of a source: enough to see whether it changed."""

    revision_id: RevisionId
    key: SourceKey
    path: str
    content_hash: str
    raw_hash: str
    rules_hash: str
    chunk_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One immutable state of the whole corpus."""

    id: VersionId
    parent_id: VersionId | None
    created_at: datetime
    source_count: int
    chunk_count: int
    primary: EmbeddingModel | None
    fallback: EmbeddingModel | None
    site_hash: str
    active: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChange:
    """A source that two versions do not share; `before` or `after` is None where one lacks it."""

    key: SourceKey
    title: str
    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDiff:
    """What makes `newer` of `older`, by type and key. A change may be one of metadata alone."""

    older: VersionId
    newer: VersionId
    added: tuple[SourceChange, ...] = ()
    removed: tuple[SourceChange, ...] = ()
    changed: tuple[SourceChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What a pruning took away."""

    versions: tuple[VersionId, ...]
    revisions: int
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What a purge took away: `versions` held the source, `cached` vectors were kept of it."""

    key: SourceKey
    versions: int
    revisions: int
    chunks: int
    cached: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A document that was not read, and why."""

    path: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """
    The site's questions asked of a draft and of version `before`. `drops` are rates that fell too
    far, in words; `worse` the questions that lost something; `failed` those without any answer.
    """

    asked: int
    before: VersionId | None = None
    drops: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the draft may be published."""
        return not self.drops and not self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSummary:
    """How a run ended. `version_id` is None where nothing changed and none was needed."""

    version_id: VersionId | None
    added: tuple[SourceKey, ...] = ()
    changed: tuple[SourceKey, ...] = ()
    unchanged: int = 0
    removed: tuple[SourceKey, ...] = ()
    refused: tuple[Refusal, ...] = ()
    ignored: int = 0
    notices: tuple[tuple[str, Notice], ...] = ()
    chunks: int = 0
    embedded: int = 0
    seconds: float = 0.0
    gate: GateReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """
    What a run looks at; all of the corpus where nothing is set. The rest stays as it is.

    `file` was typed by somebody: one that never was is a mistake. `files` were told by events: one
    that came and went in the meantime is none.
    """

    source: SourceKey | None = None
    file: str | None = None
    folder: str | None = None
    """Paths that begin so, `web/`."""
    files: frozenset[str] | None = None


class Stage(StrEnum):
    """What a run is doing."""

    LOOKING = "looking"
    READING = "reading"
    EMBEDDING = "embedding"
    ASKING = "asking"
    PUBLISHING = "publishing"


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestProgress:
    """
    How far a run is: `done` of `total` files (looking, reading), passages of a batch (embedding) or
    questions (asking), `chunks` embedded so far.
    """

    stage: Stage
    done: int = 0
    total: int = 0
    chunks: int = 0
    path: str = ""


# --- Pages of the web -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class WebRequest:
    """
    One address to be asked. `kinds` are the media types that will do; `etag` and `last_modified`
    are those of the answer that is held already; `probe` asks only whether there is something.
    """

    address: str
    kinds: tuple[str, ...] = ()
    etag: str = ""
    last_modified: str = ""
    probe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WebFound:
    """
    What stands at an address. `address` is where the redirects ended, `moved` whether all of
    them were for good. `media_type` is the Content-Type with its parameters.
    """

    address: str
    raw: bytes
    media_type: str
    moved: bool = False
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebUnchanged:
    """What is held already is what stands there."""

    address: str
    moved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WebGone:
    """404 or 410: the page was taken away."""

    address: str
    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WebFailed:
    """
    No answer that counts: what is held stays. `code` is stable: `not_allowed`, `private_address`,
    `bad_address`, `robots`, `redirects`, `wrong_type`, `too_large`, `too_slow`, `busy`,
    `unreachable`, `status`.
    """

    address: str
    code: str
    reason: str


WebAnswer = WebFound | WebUnchanged | WebGone | WebFailed


class RunState(StrEnum):
    """How a run on AWS stands. `lost`: it ended without a word; its files wait for the next run."""

    WAITING = "waiting"
    RUNNING = "running"
    PUBLISHED = "published"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """
    How far a run on AWS is: `done` of `total` files; `summary` once it has ended well, `error`
    (a sentence) and `code` (the error's name) once it failed.
    """

    run: RunId
    state: RunState
    stage: Stage = Stage.LOOKING
    done: int = 0
    total: int = 0
    summary: IngestSummary | None = None
    code: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirtyFile:
    """
    A file that something happened to: how many `times` since a run took it in, first and last
    when, in milliseconds of Unix time.
    """

    path: str
    times: int
    first_ms: int
    last_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A run that somebody asked for."""

    run: RunId
    selection: Selection
    accept_vanishing: bool = False
    skip_gate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """
    What a run is to do: `wish`, and the dirty files that it takes in by doing so. The site file is
    the one that stood in the corpus when the run began; empty where there was none.
    """

    wish: Wish
    dirty: tuple[DirtyFile, ...]
    site_text: str
    begun_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Setback:
    """Runs that failed in a row. Before `retry_ms` none begins by itself, unless something new comes in."""

    failures: int
    at_ms: int
    retry_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Which run goes on, and since when; none where `run` is None."""

    run: RunId | None = None
    since_ms: int = 0
    setback: Setback | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """How a run on AWS ended."""

    state: RunState
    summary: IngestSummary | None = None
    code: str = ""
    error: str = ""


# --- A question's way -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """
    Who asks. `identified` tells whether a token was believed; `note` says why one was not
    (`expired`, `forged`, `keys_unreachable`, ...), for the `start` event.
    """

    role: str = "guest"
    visibilities: frozenset[Visibility] = frozenset({Visibility.PUBLIC})
    identified: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """
    An earlier message. An assistant's turn counts only when `verified`: its receipt holds.
    """

    role: Literal["user", "assistant"]
    text: str
    answer_id: AnswerId | None = None
    verified: bool = False
    language: Language | None = None
    citations: tuple["Citation", ...] = ()
    """What the receipt says that the answer cited; empty for a visitor's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Where the visitor is: a path of the site, `/articles/x/`."""

    path: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """
    What is asked, by whom, where. `deadline` is a reading of the monotonic clock, in seconds.
    `version_id` pins the version for every read of this question; `preferred_language` is a
    wish that the visitor has spoken out earlier. The asker pins `version_id`; 0 is not pinned yet.
    """

    id: AnswerId
    text: str
    viewer: Viewer
    deadline: float
    version_id: VersionId = VersionId(0)
    history: tuple[Turn, ...] = ()
    page: Page | None = None
    preferred_language: Language | None = None
    session_id: str = ""


class Intent(StrEnum):
    """What kind of message it is."""

    SMALL_TALK = "small_talk"
    UNSUPPORTED = "unsupported"
    TRANSFORM = "transform"
    RAG_QUESTION = "rag_question"


ABOUT_ITSELF = "assistant"
"""The task of small talk that asks the assistant about itself, on a site that has pages on that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """
    `task` is `ABOUT_ITSELF`, or the transform that is wished (`shorten`, `translate:pt`, ...),
    `response` a ready reply for terminal intents, `decided_by` who said so (`rules`, `examples`,
    `model`, `fallback`), `malformed` that a model's answer could not be used.
    """

    intent: Intent
    language: Language
    task: str = ""
    response: str = ""
    decided_by: str = "rules"
    confidence: float = 1.0
    malformed: bool = False
    usage: "Usage | None" = None


class Mode(StrEnum):
    """What kind of evidence an item of a plan wants."""

    DIRECT_EVIDENCE = "direct_evidence"
    EDITORIAL = "editorial"
    ARTICLE_DISCOVERY = "article_discovery"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanItem:
    """One standalone question in the corpus' language."""

    query: str
    mode: Mode = Mode.DIRECT_EVIDENCE
    entity: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """At most six items; `decided_by` as in Classification."""

    items: tuple[PlanItem, ...]
    decided_by: str = "rules"
    malformed: bool = False
    usage: "Usage | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """
    A chunk found by a search, with what its source says of it.

    `semantic` and `keyword` are raw scores (cosine; BM25), None where that leg did not see the
    chunk; `score` is what passages are ranked by, 0 to 1, comparable within one search only.
    """

    chunk_id: ChunkId
    revision_id: RevisionId
    key: SourceKey
    path: str
    title: str
    url: str | None
    content: str
    index: int
    origin: Origin
    scope: Scope
    visibility: Visibility
    language: Language
    published: date | None = None
    person_key: str | None = None
    reference_rank: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    content_hash: str = ""
    semantic: float | None = None
    keyword: float | None = None
    score: float = 0.0
    route: str = "semantic"


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteAnswer:
    """
    What a route gave for one plan item. `certain` means that the planner need not be waited
    for. `choices` are the names between which the visitor must choose; `reason` is for the trace.
    `direct` is a value computed from metadata (a count, a date) that the writer may say.
    """

    route: str
    item: PlanItem
    passages: tuple[Passage, ...] = ()
    certain: bool = False
    reason: str = ""
    choices: tuple[str, ...] = ()
    direct: str = ""
    unconfirmed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A passage as the writer sees it: numbered from 1, trimmed to the site's context budget."""

    number: int
    passage: Passage
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What the visitor sees of a piece of evidence. `number` and `url` are the server's own."""

    number: int
    title: str
    url: str | None
    path: str
    key: SourceKey
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A button below an answer."""

    label: str
    url: str
    kind: str = "link"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """An article worth reading, chosen outside the model."""

    title: str
    url: str
    published: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What an answer cost. `cost_usd` is 0 where no paid model was called."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    embedding_tokens: int = 0
    cost_usd: float = 0.0


class Band(StrEnum):
    """How much money may be spent on an answer now."""

    FULL = "full"
    ECONOMY = "economy"
    EXTRACTIVE = "extractive"


class Outcome(StrEnum):
    """How an answer ended."""

    ANSWERED = "answered"
    HANDOFF = "handoff"
    CLARIFY = "clarify"
    SMALL_TALK = "small_talk"
    UNSUPPORTED = "unsupported"
    TRANSFORMED = "transformed"


# --- Answer parts: what a question gives, in this order ---------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """First. `ticket` is the (renewed) signed session token."""

    answer_id: AnswerId
    ticket: str
    viewer: Viewer
    version_id: VersionId
    language: Language
    writer: str = ""
    band: str = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is happening: `searching`, `writing`, `checking`, `waking`, `economy`."""

    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Policy `list`: the candidates, before the text."""

    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """Text to append. `seq` counts from 0 without a gap."""

    seq: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A citation with the sentence it supports, given by the `seq` of that delta."""

    citation: Citation
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Actions:
    """Buttons."""

    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendations:
    """Articles."""

    items: tuple[Recommendation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Last, when all went well. `timings_ms` by stage and `trace` are for owners, never words of a visitor."""

    outcome: Outcome
    citations: tuple[Citation, ...] = ()
    receipt: str = ""
    usage: Usage = field(default_factory=Usage)
    language: Language = Language("en")
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    trace: Mapping[str, Any] = field(default_factory=dict)
    preference: str | None = None
    """The language kept from now on; empty: the wish is cleared; None: unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Last, when something went wrong after the first byte."""

    code: str
    message: str
    retry_after_s: int | None = None


AnswerPart = Started | Status | Sources | Delta | Cited | Actions | Recommendations | Done | Failed


# --- The record -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceUse:
    """A passage that went to the writer; `used` where the answer rests on it."""

    number: int
    chunk_id: ChunkId
    key: SourceKey
    title: str
    url: str | None
    content_hash: str
    route: str
    score: float
    used: bool
    content: str = ""
    """When read back: the passage, while the corpus still holds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """
    A visitor's message and what was answered, as it is kept.

    `outcome` is that of `Done`, else `begun`, `unfinished` (the visitor stopped it or left) or
    `failed`, with the error's name in `error`. `masked` tells whether personal data were taken out.
    """

    answer_id: AnswerId
    session_id: str
    asked_at: datetime
    question: str
    answer: str
    masked: bool
    outcome: str
    version_id: VersionId
    model: str
    language: str = ""
    page: str = ""
    role: str = ""
    error: str = ""
    intent: str = ""
    routes: tuple[str, ...] = ()
    band: str = ""
    usage: Usage = field(default_factory=Usage)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    verdicts: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    safety: str = ""
    confidence: float | None = None
    prompt_hash: str = ""
    policy_hash: str = ""
    receipt: str = ""
    evidence: tuple[EvidenceUse, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What a visitor thinks of an answer: `usefulness` 1 to 5; `used_question` None where not said."""

    answer_id: AnswerId
    session_id: str
    usefulness: int
    used_question: bool | None
    reason: str
    given_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """All that is kept of a session."""

    session_id: str
    began_at: datetime | None
    last_at: datetime | None
    messages: tuple[Recorded, ...] = ()
    ratings: tuple[Rating, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRow:
    """A session in a list; `usefulness` is the mean of its ratings."""

    session_id: str
    began_at: datetime
    last_at: datetime
    questions: int
    outcomes: tuple[str, ...]
    cost_usd: float
    usefulness: float | None
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """How much was taken away; `asks` are questions kept for a repeat."""

    sessions: int = 0
    messages: int = 0
    ratings: int = 0
    asks: int = 0

    def __add__(self, other: "Forgotten") -> "Forgotten":
        return Forgotten(
            sessions=self.sessions + other.sessions,
            messages=self.messages + other.messages,
            ratings=self.ratings + other.ratings,
            asks=self.asks + other.asks,
        )


# --- Models -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message to a chat model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a chat model is asked. `json_object` asks for one JSON object; times in seconds."""

    messages: tuple[ChatMessage, ...]
    temperature: float = 0.0
    max_tokens: int = 700
    json_object: bool = False
    timeout_s: float = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPiece:
    """
    A piece of a model's stream; the last one carries the usage where the provider tells it. `model`
    names whose it is, where several could have answered.
    """

    text: str = ""
    usage: Usage | None = None
    finish_reason: str | None = None
    model: str = ""
