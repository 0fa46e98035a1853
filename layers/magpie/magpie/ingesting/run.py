"""
A corpus to a version, in one process.

    look    which files there are, what the site file says of each
    read    files to sources; one that can't be read is refused, the run goes on
    settle  what the files mean for each other: what is new, what stays, what vanishes
    embed   new and changed sources to chunks with vectors, in batches
    publish counts checked, one switch; any failure leaves the active version as it was

The same steps, one function each, make a run on AWS: `stages.py`.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from time import monotonic

from magpie.errors import Overtaken
from magpie.ingesting.base import Base, base_of
from magpie.ingesting.chunks import chunks_of
from magpie.ingesting.embedding import Indexes
from magpie.ingesting.files import FileReader, ReadSource
from magpie.ingesting.ledger import Ledger
from magpie.ingesting.looking import Found, look
from magpie.ingesting.publishing import Publication
from magpie.ingesting.questions import Questioner
from magpie.model import (
    Chunk,
    IngestProgress,
    IngestSummary,
    Revision,
    Selection,
    Source,
    Stage,
    Version,
)
from magpie.ports import (
    CorpusFiles,
    Embedder,
    EmbeddingCache,
    Gate,
    HostileReader,
    Progress,
    Versions,
    Window,
)
from magpie.site import Site

BATCH_CHUNKS = 256
TRIES = 8  # of n publishers that begin together, one more is through after each try
EVERYTHING = Selection()
Batch = list[tuple[Source, tuple[Chunk, ...]]]


def silent(progress: IngestProgress) -> None:
    """For a run that nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """
    What a run works with. `windows` are the models whose reading is limited; the `gate` is there
    where the site file names questions.
    """

    files: CorpusFiles
    versions: Versions
    hostile: HostileReader
    primary: Embedder
    fallback: Embedder | None
    cache: EmbeddingCache
    windows: Sequence[Window] = ()
    questioner: Questioner | None = None
    gate: Gate | None = None
    progress: Progress = silent
    clock: Callable[[], float] = monotonic


class Goal(Enum):
    """How far a run goes."""

    TELL = "tell"
    REHEARSE = "rehearse"
    PUBLISH = "publish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What stays the same when a run that was overtaken begins again."""

    goal: Goal
    accept_vanishing: bool
    gate: Gate | None
    indexes: Indexes
    started: float


class Ingest:
    """One site's ingest; `run` may be called again and again."""

    def __init__(self, site: Site, parts: Parts) -> None:
        self._site = site
        self._parts = parts

    async def run(
        self,
        selection: Selection = EVERYTHING,
        *,
        dry_run: bool = False,
        accept_vanishing: bool = False,
        skip_gate: bool = False,
    ) -> IngestSummary:
        """
        Bring the selected part of the corpus into a new active version.

        A run that another one overtakes begins again, on top of what that one published. Raises:
        CorpusInvalid where the corpus is empty, too much of it would vanish, or another model is
        set than the active version has; GateClosed; Overtaken when it lost every try;
        ProviderUnavailable; DatabaseUnavailable. The active version then is what it was.
        """
        is_gated = self._site.gate.on_ingest and not skip_gate
        attempt = Attempt(
            goal=Goal.TELL if dry_run else Goal.PUBLISH,
            accept_vanishing=accept_vanishing,
            gate=self._parts.gate if is_gated else None,
            indexes=Indexes(self._parts.primary, self._parts.fallback, self._parts.cache),
            started=self._parts.clock(),
        )
        for _ in range(TRIES - 1):
            with suppress(Overtaken):
                return await self._once(selection, attempt)
        return await self._once(selection, attempt)

    async def rehearse(self, selection: Selection = EVERYTHING) -> IngestSummary:
        """
        As `run`, through the gate, but nothing is published: `gate` of the summary tells what it said.

        None where nothing is new. Raises: as `run`, but GateClosed.
        """
        attempt = Attempt(
            goal=Goal.REHEARSE,
            accept_vanishing=True,
            gate=self._parts.gate,
            indexes=Indexes(self._parts.primary, self._parts.fallback, self._parts.cache),
            started=self._parts.clock(),
        )
        return await self._once(selection, attempt)

    async def _once(self, selection: Selection, attempt: Attempt) -> IngestSummary:
        """Raises: Overtaken where another run published meanwhile; what is embedded already costs nothing again."""
        base = await base_of(self._parts.versions)
        seen = await look(self._parts.files, self._site, selection, base)
        ledger = Ledger(site=self._site, stored=base.stored, seen=seen)
        version: Version | None = None
        async with self._publication(base, attempt.gate) as publication:
            async for batch in self._changes(seen.found, ledger):
                if attempt.goal is not Goal.TELL:
                    await publication.add(await self._embedded(batch, attempt.indexes, ledger))
            ledger.close(accept_vanishing=attempt.accept_vanishing)
            version = await self._ended(publication, ledger, attempt.goal)
        summary = ledger.summary(
            version.id if version else None,
            notices=attempt.indexes.notices(),
            embedded=attempt.indexes.embedded,
            seconds=self._parts.clock() - attempt.started,
        )
        return replace(summary, gate=publication.judged)

    async def _ended(self, publication: Publication, ledger: Ledger, goal: Goal) -> Version | None:
        match goal:
            case Goal.TELL:
                return None
            case Goal.REHEARSE:
                await publication.rehearse(ledger)
                return None
            case Goal.PUBLISH:
                self._tell_publishing(ledger)
                return await publication.finish(ledger)

    def _publication(self, base: Base, gate: Gate | None) -> Publication:
        fallback = self._parts.fallback
        return Publication(
            self._parts.versions,
            self._site,
            base,
            primary=self._parts.primary.model,
            fallback=fallback.model if fallback else None,
            gate=gate,
        )

    async def _changes(self, found: Sequence[Found], ledger: Ledger) -> AsyncIterator[Batch]:
        """New and changed sources with their chunks, in batches."""
        reader = FileReader(self._site, self._parts.files, self._parts.hostile, ledger.seen.selection)
        batch: Batch = []
        for done, one in enumerate(found, start=1):
            self._parts.progress(
                IngestProgress(stage=Stage.READING, done=done, total=len(found), path=one.path)
            )
            read = await reader.read(one, ledger.by_path.get(one.path, ()))
            batch += [self._cut(change, ledger) for change in ledger.settle(read)]
            if sum(len(chunks) for _, chunks in batch) >= BATCH_CHUNKS:
                yield batch
                batch = []
        if batch:
            yield batch

    def _cut(self, change: ReadSource, ledger: Ledger) -> tuple[Source, tuple[Chunk, ...]]:
        chunks, notices = chunks_of(change.source, change.chunking, self._parts.windows)
        ledger.notices += [(change.source.path, notice) for notice in notices]
        ledger.take(change.source.key, len(chunks))
        return change.source, chunks

    async def _embedded(self, batch: Batch, indexes: Indexes, ledger: Ledger) -> list[Revision]:
        batch = [(source, await self._questioned(source, some)) for source, some in batch]
        chunks = [chunk for _, some in batch for chunk in some]
        before = sum(ledger.taken.values()) - len(chunks)
        embedded = iter(await indexes.embed(chunks, lambda *told: self._tell_embedding(before, *told)))
        return [Revision(source=source, chunks=tuple(next(embedded) for _ in some)) for source, some in batch]

    def _tell_embedding(self, before: int, done: int, total: int) -> None:
        self._parts.progress(
            IngestProgress(stage=Stage.EMBEDDING, done=done, total=total, chunks=before + done)
        )

    async def _questioned(self, source: Source, chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
        questioner = self._parts.questioner
        if questioner is None:
            return chunks
        rule = self._site.rule_for(source.path)
        return await questioner.asked(chunks, (rule and rule.chunking) or self._site.chunking)

    def _tell_publishing(self, ledger: Ledger) -> None:
        self._parts.progress(
            IngestProgress(stage=Stage.PUBLISHING, total=ledger.source_count, chunks=ledger.chunk_count)
        )
