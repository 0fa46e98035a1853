"""
To another embedding model, beside the live one.

    begin    a column for the new vectors, or the one of a run that was stopped
    fill     every stored chunk, batch by batch; each batch is stored before the next is asked for
    build    the new index
    switch   columns renamed and a version with the new models made active, in one transaction

Readers stay on the old model until the switch. What is published meanwhile is filled too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from magpie.errors import CorpusInvalid, ProviderUnavailable
from magpie.ingesting.fingerprint import text_hash
from magpie.model import ChunkId, IngestProgress, Stage, Vector, Version
from magpie.ports import Embedder, EmbeddingCache, Progress, Reindexing
from magpie.site import Site

BATCH = 64  # ledger P6
ROUNDS = 20  # each fills what came in while the one before was at work; publishers are slower than that


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """
    `version` answers with the new models; None where nothing had to move, or `stopped_by` says why
    it did not: what was `filled` is kept, and the next run goes on there.
    """

    version: Version | None
    filled: int = 0
    stopped_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The embedders that the site file names."""

    primary: Embedder
    fallback: Embedder | None

    def moving(self, active: Version) -> Mapping[str, Embedder]:
        """Those whose index holds vectors of another model now, by the name of the index."""
        pairs = {"primary": (active.primary, self.primary), "fallback": (active.fallback, self.fallback)}
        return {
            name: embedder
            for name, (held, embedder) in pairs.items()
            if held is not None and embedder is not None and held.identity != embedder.model.identity
        }


class Reindex:
    """One site's move; may be stopped and started again."""

    def __init__(
        self, site: Site, models: Models, reindexing: Reindexing, cache: EmbeddingCache, progress: Progress
    ) -> None:
        self._site = site
        self._models = models
        self._reindexing = reindexing
        self._cache = cache
        self._progress = progress
        self._filled = 0

    async def run(self, active: Version | None) -> Moved:
        """
        Move from the active version's models to the site file's.

        Raises: CorpusInvalid where nothing is published yet, or publishers never pause;
        DatabaseUnavailable.
        """
        if active is None:
            raise CorpusInvalid("nothing is published yet; `magpie ingest --all` makes the first version")
        moving = self._models.moving(active)
        if not moving:
            return Moved(version=None)
        await self._reindexing.begin({name: embedder.model for name, embedder in moving.items()})
        try:
            return Moved(version=await self._moved(moving), filled=self._filled)
        except ProviderUnavailable as exc:
            return Moved(version=None, filled=self._filled, stopped_by=str(exc))

    async def _moved(self, moving: Mapping[str, Embedder]) -> Version:
        for _ in range(ROUNDS):
            for name, embedder in moving.items():
                await self._fill(name, embedder)
            await self._reindexing.build(tuple(moving))
            self._progress(IngestProgress(stage=Stage.PUBLISHING))
            if version := await self._switched(moving):
                return version
        raise CorpusInvalid(
            "new chunks came in as fast as they were embedded; let no ingest run meanwhile, and run again"
        )

    async def _switched(self, moving: Mapping[str, Embedder]) -> Version | None:
        fallback = self._models.fallback
        return await self._reindexing.switch(
            tuple(moving),
            primary=self._models.primary.model,
            fallback=fallback.model if fallback else None,
            site_text=self._site.text,
            note=f"reindexed to {', '.join(embedder.model.name for embedder in moving.values())}",
        )

    async def _fill(self, name: str, embedder: Embedder) -> None:
        last = ChunkId(0)
        while batch := await self._reindexing.next_batch(name, after=last, limit=BATCH):
            vectors = await self._vectors(embedder, [text for _, text in batch])
            await self._reindexing.fill(
                name, {chunk: vector for (chunk, _), vector in zip(batch, vectors, strict=True)}
            )
            last = batch[-1][0]
            self._filled += len(batch)
            self._progress(IngestProgress(stage=Stage.EMBEDDING, done=self._filled))

    async def _vectors(self, embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
        """In order; from the cache where it has them, so that later ingests find them there too."""
        by_hash = {text_hash(text): text for text in texts}
        known = dict(await self._cache.get(embedder.model, tuple(by_hash)))
        missing = [name for name in by_hash if name not in known]
        if missing:
            made = await embedder.embed_passages([by_hash[name] for name in missing])
            fresh = dict(zip(missing, made, strict=True))
            await self._cache.put(embedder.model, fresh)
            known |= fresh
        return [known[text_hash(text)] for text in texts]
