"""
The steps of a run on AWS. Each reads what the step before left in the work store, and leaves what
the next one needs; only names and counts pass from step to step.

    look     once: what there is to do, in batches of files
    read     a batch: files to sources
    chunk    a batch: new sources to chunks
    embed    a batch: chunks to vectors, piece by piece, so that it can stop and go on
    publish  once: what the files mean for each other, and the switch

Every step may be done again: it leaves the same under the same name. The pure steps are those of
`run.py`. Nothing is staged before `publish`, so a run that dies leaves no draft behind, and one that
another run overtakes looks again.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Protocol, TypeVar

from magpie.errors import CorpusInvalid, Overtaken
from magpie.ingesting.base import Base, base_of, check_models
from magpie.ingesting.chunks import chunks_of
from magpie.ingesting.embedding import Indexes
from magpie.ingesting.files import FileReader, ReadSource
from magpie.ingesting.ledger import Ledger, by_path
from magpie.ingesting.looking import Found, look
from magpie.ingesting.names import BatchItem, RoundNames, RunNames
from magpie.ingesting.publishing import Publication
from magpie.ingesting.questions import Questioner
from magpie.ingesting.work import (
    Batch,
    BatchChunks,
    BatchEnd,
    BatchFile,
    BatchRead,
    RunPlan,
    SourceChunks,
    Vectors,
    batches,
    packed,
    unpacked,
)
from magpie.model import (
    Chunk,
    EmbeddedChunk,
    EmbeddingModel,
    IngestSummary,
    Notice,
    Order,
    Pruned,
    Revision,
    RunEnd,
    RunId,
    RunState,
    SourceKey,
)
from magpie.ports import CorpusFiles, Gate, HostileReader, Versions, Window, Work
from magpie.site import Chunking, Site, load_site

PIECE_CHUNKS = 256
ROUNDS = 8  # of n publishers that begin together, one more is through after each round
Identity = tuple[str, SourceKey, str]
T = TypeVar("T")


class SiteModels(Protocol):
    """
    A site's embedding models. Only the step that embeds needs their keys: the others ask which they
    are, and how much those read that read little.
    """

    def identities(self, site: Site) -> tuple[EmbeddingModel, EmbeddingModel | None]: ...

    def windows(self, site: Site) -> Sequence[Window]: ...

    def indexes(self, site: Site) -> Indexes: ...

    def questioner(self, site: Site) -> Questioner | None: ...


class OldVersions(Protocol):
    """What `History` offers to who only tidies up."""

    async def prune(self, keep: int) -> Pruned: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What the steps work with. `gate` is None where the site file asks for none."""

    work: Work
    files: Callable[[Site], CorpusFiles]
    hostile: HostileReader
    versions: Versions
    history: OldVersions
    models: SiteModels
    clock_ms: Callable[[], int]
    gate: Callable[[Site], Gate | None] = lambda site: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Of one batch: new sources and refusals, for the log."""

    sources: int
    refused: int


class Stages:
    """The steps, for any run."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._sites: dict[str, Site] = {}

    async def site(self, run: RunId) -> Site:
        """The site file that the run began with. Raises: CorpusInvalid, SiteInvalid."""
        order = await self._order(run)
        if not order.site_text:
            raise CorpusInvalid("there is no site.yaml in the corpus; upload it beside the documents")
        if order.site_text not in self._sites:
            self._sites = {order.site_text: load_site(order.site_text)}
        return self._sites[order.site_text]

    async def look(self, run: RunId) -> RunPlan:
        """
        Plan a round of the run.

        Raises: CorpusInvalid and SiteInvalid; Overtaken when too many rounds were in vain.
        """
        site, order, names = await self.site(run), await self._order(run), RunNames(run)
        before = await self._tools.work.find(names.plan, RunPlan)
        number = before.round + 1 if before else 1
        if number > ROUNDS:
            raise Overtaken(f"other runs published first, {ROUNDS} times; start the run again")
        base = await base_of(self._tools.versions)
        check_models(base.version, *self._tools.models.identities(site))
        seen = await look(self._tools.files(site), site, order.wish.selection, base)
        together = list(batches(seen.found))
        plan = RunPlan(
            round=number,
            parent=base.id,
            sizes=tuple(map(len, together)),
            selection=seen.selection,
            paths=tuple(sorted(seen.paths)),
            refused=seen.refused,
            ignored=seen.ignored,
        )
        await self._keep_batches(run, plan, together, base)
        await self._tools.work.keep(names.plan, plan)
        return plan

    async def read(self, item: BatchItem) -> Counts:
        """Files to sources."""
        site, at = await self.site(item.run), _at(item)
        batch = await self._found(at.batch(item.batch), Batch)
        reader = FileReader(site, self._tools.files(site), self._tools.hostile, batch.selection)
        files = tuple([await reader.read(_file(one, site), one.stored) for one in batch.files])
        await self._tools.work.keep(at.read(item.batch), BatchRead(files=files))
        return Counts(
            sources=sum(len(file.sources) for file in files), refused=sum(len(file.refused) for file in files)
        )

    async def chunk(self, item: BatchItem) -> int:
        """Sources to chunks, those left out that the active version has as they are; how many chunks."""
        site, at = await self.site(item.run), _at(item)
        batch = await self._found(at.batch(item.batch), Batch)
        read = await self._found(at.read(item.batch), BatchRead)
        held = {(stored.key, stored.content_hash) for file in batch.files for stored in file.stored}
        windows = self._tools.models.windows(site)
        cut = BatchChunks(
            sources=tuple(
                _cut(one, windows)
                for file in read.files
                for one in file.sources
                if (one.source.key, one.source.content_hash) not in held
            )
        )
        await self._tools.work.keep(at.chunks(item.batch), cut)
        return len(cut.chunks)

    async def embed(self, item: BatchItem, may_go_on: Callable[[], bool]) -> bool:
        """
        Chunks to vectors; whether all are done. Where it may not go on it ends, one piece at least
        further, and is called again.
        """
        site, at = await self.site(item.run), _at(item)
        chunks = (await self._found(at.chunks(item.batch), BatchChunks)).chunks
        indexes, questioner = self._tools.models.indexes(site), self._tools.models.questioner(site)
        pieces = [chunks[start : start + PIECE_CHUNKS] for start in range(0, len(chunks), PIECE_CHUNKS)]
        there = set(await self._tools.work.names(at.pieces(item.batch)))
        missing = [number for number in range(len(pieces)) if at.vectors(item.batch, number) not in there]
        for done, number in enumerate(missing):
            if done and not may_go_on():
                return False
            asked = await _asked(pieces[number], questioner)
            await self._embed_piece(at.vectors(item.batch, number), asked, indexes)
        await self._tools.work.keep(at.end(item.batch), BatchEnd(pieces=len(pieces)))
        return True

    async def publish(self, run: RunId, number: int) -> RunEnd:
        """
        All batches of a round to a new active version, one batch in memory at a time. Old versions
        are pruned afterwards: nobody types commands here.

        Raises: Overtaken where another version became active since the look; CorpusInvalid.
        """
        tools, names = self._tools, RunNames(run)
        at = names.round(number)
        base = await base_of(tools.versions)
        end = await self._published_before(run, at, base) or await self._publish(run, at, base)
        await tools.work.keep(names.end, end)
        if end.state == RunState.PUBLISHED:
            await tools.history.prune((await self.site(run)).safety.keep_versions)
        return end

    # Parts of the steps

    async def _publish(self, run: RunId, at: RoundNames, base: Base) -> RunEnd:
        site, order = await self.site(run), await self._order(run)
        plan = await self._found(RunNames(run).plan, RunPlan)
        if base.id != plan.parent:
            raise Overtaken(f"version {base.id} was published since the run looked; it looks again")
        primary, fallback = self._tools.models.identities(site)
        ledger = Ledger(site=site, stored=base.stored, seen=plan.to_look())
        notices: dict[Notice, None] = {}
        embedded = 0
        async with Publication(
            self._tools.versions,
            site,
            base,
            primary=primary,
            fallback=fallback,
            note=note_of(run),
            gate=None if order.wish.skip_gate else self._tools.gate(site),
        ) as publication:
            async for batch in self._batches(at, len(plan.sizes)):
                await publication.add(batch.settled(ledger))
                notices |= dict.fromkeys(batch.notices)
                embedded += batch.embedded
            ledger.close(accept_vanishing=order.wish.accept_vanishing)
            seconds = (self._tools.clock_ms() - order.begun_ms) / 1000
            summary = ledger.summary(None, notices=notices, embedded=embedded, seconds=seconds)
            await self._tools.work.keep(at.summary, summary)
            version = await publication.finish(ledger)
            summary = replace(summary, gate=publication.judged)
        return _ended(replace(summary, version_id=version.id if version else None))

    async def _published_before(self, run: RunId, at: RoundNames, base: Base) -> RunEnd | None:
        """The end of this very run, where it published and then could not say so any more."""
        if base.version is None or base.version.note != note_of(run):
            return None
        summary = await self._found(at.summary, IngestSummary)
        return _ended(replace(summary, version_id=base.version.id))

    async def _batches(self, at: RoundNames, count: int) -> AsyncIterator["EmbeddedBatch"]:
        for number in range(count):
            end = await self._found(at.end(number), BatchEnd)
            yield EmbeddedBatch(
                read=await self._found(at.read(number), BatchRead),
                cut=await self._found(at.chunks(number), BatchChunks),
                vectors=tuple(
                    [await self._found(at.vectors(number, piece), Vectors) for piece in range(end.pieces)]
                ),
            )

    async def _keep_batches(
        self, run: RunId, plan: RunPlan, together: Sequence[Sequence[Found]], base: Base
    ) -> None:
        held = by_path(base.stored.values())
        at = RunNames(run).round(plan.round)
        for number, some in enumerate(together):
            files = tuple(
                BatchFile(path=one.path, size=one.size, stored=tuple(held.get(one.path, ()))) for one in some
            )
            await self._tools.work.keep(at.batch(number), Batch(selection=plan.selection, files=files))
        items = [BatchItem(run=run, round=plan.round, batch=number) for number in range(len(together))]
        await self._tools.work.keep(at.items, items)

    async def _embed_piece(self, name: str, chunks: Sequence[Chunk], indexes: Indexes) -> None:
        before = indexes.embedded
        embedded = await indexes.embed(chunks)
        vectors = Vectors(
            questions=tuple(chunk.questions for chunk in chunks),
            primary=tuple(packed(one.primary) for one in embedded),
            fallback=tuple(packed(one.fallback) for one in embedded),
            embedded=indexes.embedded - before,
            notices=indexes.notices(),
        )
        await self._tools.work.keep(name, vectors)

    async def _order(self, run: RunId) -> Order:
        return await self._found(RunNames(run).order, Order)

    async def _found(self, name: str, kind: type[T]) -> T:
        found = await self._tools.work.find(name, kind)
        if found is None:
            raise CorpusInvalid(f"{name} is gone from the work store; start the run again")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedBatch:
    """A batch with all that the steps made of it."""

    read: BatchRead
    cut: BatchChunks
    vectors: tuple[Vectors, ...]

    @property
    def embedded(self) -> int:
        """Texts that were new to the models."""
        return sum(piece.embedded for piece in self.vectors)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What an owner should know of the indexes."""
        return tuple(notice for piece in self.vectors for notice in piece.notices)

    def settled(self, ledger: Ledger) -> list[Revision]:
        """What the new version needs of it; all else is noted."""
        chunks = self._chunks()
        revisions = []
        for change in (change for file in self.read.files for change in ledger.settle(file)):
            notices, embedded = chunks[_identity(change)]
            ledger.notices += [(change.source.path, notice) for notice in notices]
            ledger.take(change.source.key, len(embedded))
            revisions.append(Revision(source=change.source, chunks=embedded))
        return revisions

    def _chunks(self) -> Mapping[Identity, tuple[tuple[Notice, ...], tuple[EmbeddedChunk, ...]]]:
        vectors = self._unpacked()
        return {
            (one.path, one.key, one.content_hash): (
                one.notices,
                tuple(_embedded(chunk, *next(vectors)) for chunk in one.chunks),
            )
            for one in self.cut.sources
        }

    def _unpacked(self) -> Iterator[tuple[tuple[str, ...], str | None, str | None]]:
        for piece in self.vectors:
            yield from zip(piece.questions, piece.primary, piece.fallback, strict=True)


def note_of(run: RunId) -> str:
    """What a version says of the run that made it."""
    return f"run {run}"


def _at(item: BatchItem) -> RoundNames:
    return RunNames(item.run).round(item.round)


def _file(one: BatchFile, site: Site) -> Found:
    return Found(path=one.path, rules=site.rules_for(one.path), size=one.size)


def _cut(one: ReadSource, windows: Sequence[Window]) -> SourceChunks:
    chunks, notices = chunks_of(one.source, one.chunking, windows)
    return SourceChunks(
        path=one.source.path,
        key=one.source.key,
        content_hash=one.source.content_hash,
        chunking=one.chunking,
        chunks=chunks,
        notices=notices,
    )


def _identity(one: ReadSource) -> Identity:
    return one.source.path, one.source.key, one.source.content_hash


async def _asked(piece: Sequence[tuple[Chunk, Chunking]], questioner: Questioner | None) -> list[Chunk]:
    """The chunks with the questions that they are embedded with."""
    if questioner is None:
        return [chunk for chunk, _ in piece]
    asked: list[Chunk] = []
    for settings, some in groupby(piece, key=itemgetter(1)):
        asked += await questioner.asked([chunk for chunk, _ in some], settings)
    return asked


def _embedded(
    chunk: Chunk, questions: tuple[str, ...], primary: str | None, fallback: str | None
) -> EmbeddedChunk:
    return EmbeddedChunk(
        chunk=replace(chunk, questions=questions), primary=unpacked(primary), fallback=unpacked(fallback)
    )


def _ended(summary: IngestSummary) -> RunEnd:
    state = RunState.UNCHANGED if summary.version_id is None else RunState.PUBLISHED
    return RunEnd(state=state, summary=summary)
