"""
Plain classes for the ports of an ingest. `FakeVersions` remembers what was published, as a
database would; nothing else decides anything.
"""

import hashlib
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from magpie.errors import CorpusInvalid, DocumentRefused, MagpieError, Overtaken
from magpie.model import (
    Document,
    EmbeddingModel,
    GateReport,
    Reading,
    Revision,
    RevisionId,
    SourceKey,
    StoredSource,
    Vector,
    Version,
    VersionId,
    WebAnswer,
    WebFound,
    WebGone,
    WebRequest,
    WebUnchanged,
)

PRIMARY = EmbeddingModel(provider="fake", name="first", dimension=4)
FALLBACK = EmbeddingModel(provider="fake", name="second", dimension=3)


@dataclass
class FakeFiles:
    """A corpus in memory; `read_paths` notes what was read."""

    files: dict[str, bytes]
    sizes: dict[str, int] = field(default_factory=dict)
    read_paths: list[str] = field(default_factory=list)

    async def paths(self) -> AsyncIterator[tuple[str, int]]:
        for path in sorted(self.files):
            yield path, self.sizes.get(path, len(self.files[path]))

    async def read(self, path: str) -> Document:
        self.read_paths.append(path)
        if path not in self.files:
            raise DocumentRefused(path, "missing", "is not in the corpus")
        raw = self.files[path]
        return Document(path=path, raw=raw, raw_hash=hashlib.sha256(raw).hexdigest())


@dataclass
class FakeStore(FakeFiles):
    """A corpus in memory that may be written to; fails as a full disk does from the `fails_after`th write on."""

    written: list[str] = field(default_factory=list)
    fails_after: int | None = None

    async def write(self, path: str, raw: bytes) -> None:
        if self.fails_after is not None and len(self.written) >= self.fails_after:
            raise DocumentRefused(path, "unwritable", "can't be written: No space left on device")
        self.written.append(path)
        self.files[path] = raw

    async def remove(self, path: str) -> None:
        self.files.pop(path, None)


@dataclass
class FakeWeb:
    """Answers by address, 404 where it has none; `asked` notes every request."""

    answers: dict[str, WebAnswer] = field(default_factory=dict)
    asked: list[WebRequest] = field(default_factory=list)

    async def ask(self, request: WebRequest) -> WebAnswer:
        self.asked.append(request)
        answer = self.answers.get(request.address, WebGone(address=request.address, status=404))
        if isinstance(answer, WebFound) and answer.etag and answer.etag == request.etag:
            return WebUnchanged(address=answer.address, moved=answer.moved)
        return answer


@dataclass
class FakePassageEmbedder:
    """Vectors made of a text's hash; fails with `failure` from the `fails_after`th text on."""

    model: EmbeddingModel = PRIMARY
    failure: MagpieError | None = None
    fails_after: int = 0
    batches: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.batches for text in batch]

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        if self.failure and len(self.texts) + len(texts) > self.fails_after:
            raise self.failure
        self.batches.append(tuple(texts))
        return tuple(vector_of(text, self.model.dimension) for text in texts)

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return tuple(vector_of(text, self.model.dimension) for text in texts)


def vector_of(text: str, dimension: int) -> Vector:
    """A unit vector that is the same for the same text."""
    values = [byte + 1 for byte in hashlib.sha256(text.encode()).digest()[:dimension]]
    norm = math.sqrt(sum(value * value for value in values))
    return tuple(value / norm for value in values)


@dataclass
class FakeCache:
    """Vectors in a dictionary."""

    known: dict[tuple[str, str], Vector] = field(default_factory=dict)

    async def get(self, model: EmbeddingModel, hashes: Sequence[str]) -> Mapping[str, Vector]:
        return {
            name: self.known[model.identity, name] for name in hashes if (model.identity, name) in self.known
        }

    async def put(self, model: EmbeddingModel, vectors: Mapping[str, Vector]) -> None:
        self.known |= {(model.identity, name): vector for name, vector in vectors.items()}


@dataclass
class FakeHostile:
    """Says what it was told to say of every document."""

    readings: tuple[Reading, ...] = ()

    async def read(self, document: Document, kind: str) -> tuple[Reading, ...]:
        if not self.readings:
            raise DocumentRefused(document.path, "broken", "can't be read")
        return self.readings


@dataclass
class FakeWindow:
    """A model that reads `window_tokens` words."""

    window_tokens: int | None = 100

    def count_tokens(self, text: str) -> int:
        return len(text.split())


@dataclass
class Kept:
    """A published version: its manifest, and what a reader would find."""

    version: Version
    manifest: dict[SourceKey, StoredSource]


@dataclass
class FakeVersions:
    """
    The history in memory. `revisions` hold every revision that was ever added, by id; each of
    `overtaken_by` is done once, right before a switch.
    """

    history: list[Kept] = field(default_factory=list)
    revisions: dict[RevisionId, Revision] = field(default_factory=dict)
    drafts: int = 0
    largest_batch: int = 0
    failure: MagpieError | None = None
    overtaken_by: list[Callable[[], Awaitable[object]]] = field(default_factory=list)

    async def active(self) -> Version | None:
        return self.history[-1].version if self.history else None

    async def stored(self, version: VersionId) -> tuple[StoredSource, ...]:
        return tuple(next(kept for kept in self.history if kept.version.id == version).manifest.values())

    def now(self) -> dict[str, Revision]:
        """The active version's revisions, by their key's text."""
        return {
            str(key): self.revisions[stored.revision_id] for key, stored in self.history[-1].manifest.items()
        }

    @asynccontextmanager
    async def draft(
        self,
        *,
        parent: VersionId | None,
        primary: EmbeddingModel | None,
        fallback: EmbeddingModel | None,
        site_text: str,
        note: str = "",
    ) -> AsyncIterator["FakeDraft"]:
        self.drafts += 1
        version = Version(
            id=VersionId(self.drafts),
            parent_id=parent,
            created_at=datetime(2026, 11, 30, tzinfo=UTC),
            source_count=0,
            chunk_count=0,
            primary=primary,
            fallback=fallback,
            site_hash=hashlib.sha256(site_text.encode()).hexdigest(),
            note=note,
        )
        yield FakeDraft(self, version)


class FakeDraft:
    """A version in the making."""

    def __init__(self, versions: FakeVersions, version: Version) -> None:
        self._versions = versions
        self._version = version
        self._manifest: dict[SourceKey, StoredSource] = {}

    @property
    def id(self) -> VersionId:
        return self._version.id

    async def add(self, revisions: Iterable[Revision]) -> None:
        batch = list(revisions)
        self._versions.largest_batch = max(self._versions.largest_batch, len(batch))
        for revision in batch:
            self._add(revision)

    def _add(self, revision: Revision) -> None:
        source = revision.source
        number = RevisionId(len(self._versions.revisions) + 1)
        self._versions.revisions[number] = revision
        self._manifest[source.key] = StoredSource(
            revision_id=number,
            key=source.key,
            path=source.path,
            content_hash=source.content_hash,
            raw_hash=source.raw_hash,
            rules_hash=source.rules_hash,
            chunk_count=len(revision.chunks),
        )

    async def keep(self, sources: Sequence[StoredSource]) -> None:
        self._manifest |= {stored.key: stored for stored in sources}

    async def seal(self) -> Version:
        return self._version

    async def activate(self, *, expected_sources: int, expected_chunks: int) -> Version:
        if self._versions.failure:
            raise self._versions.failure
        if self._versions.overtaken_by:
            await self._versions.overtaken_by.pop(0)()
        active = await self._versions.active()
        if (active.id if active else None) != self._version.parent_id:
            raise Overtaken(f"version {active and active.id} was published meanwhile")
        chunks = sum(stored.chunk_count for stored in self._manifest.values())
        if (len(self._manifest), chunks) != (expected_sources, expected_chunks):
            raise CorpusInvalid(f"staged {len(self._manifest)} sources, expected {expected_sources}")
        version = replace(self._version, source_count=expected_sources, chunk_count=chunks, active=True)
        self._versions.history.append(Kept(version=version, manifest=self._manifest))
        return version


@dataclass
class FakeGate:
    """Says always the same; notes which versions it was asked about."""

    report: GateReport
    asked: list[tuple[VersionId, VersionId | None]] = field(default_factory=list)

    async def judge(self, draft: Version, active: Version | None) -> GateReport:
        self.asked.append((draft.id, active.id if active else None))
        return self.report


@dataclass
class FakeQuestions:
    """Questions in a dictionary."""

    known: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    async def get(self, model: str, hashes: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        return {name: self.known[model, name] for name in hashes if (model, name) in self.known}

    async def put(self, model: str, questions: Mapping[str, tuple[str, ...]]) -> None:
        self.known |= {(model, name): some for name, some in questions.items()}
