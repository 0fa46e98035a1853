"""
Chunks to vectors of both indexes, from the cache where it has them.

A quota that is used up ends the use of that model for the run: with the primary's the fallback
serves alone, with the fallback's the primary does. A chunk with neither vector stops the run.
"""

from collections.abc import Callable, Mapping, Sequence

from magpie.errors import ProviderRefused, ProviderUnavailable, QuotaExhausted
from magpie.ingesting.fingerprint import text_hash
from magpie.model import Chunk, EmbeddedChunk, Notice, Vector
from magpie.ports import Embedder, EmbeddingCache

BATCH = 64
Tell = Callable[[int, int], None]
"""Told how many of how many texts are done; a text counts once all models have it."""


def unheard(done: int, total: int) -> None:
    """For an embedding that nobody watches."""


class Index:
    """One model of the two, with what this run learned of it."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache, *, is_fallback: bool) -> None:
        self._embedder = embedder
        self._cache = cache
        self._is_fallback = is_fallback
        self.failure: ProviderUnavailable | None = None
        self.embedded = 0

    @property
    def name(self) -> str:
        return self._embedder.model.name

    def notice(self, code: str) -> Notice:
        """What an owner should know of this index."""
        return Notice(code=code, message=f"some chunks have no vector of {self.name}: {self.failure}")

    async def vectors(
        self, texts: Mapping[str, str], left: Callable[[int], None] = lambda _: None
    ) -> Mapping[str, Vector]:
        """
        Vectors by text hash; fewer than asked for only where the model is used up.

        `left` is told before each batch, and at the end, how many texts are still to come.
        """
        known = dict(await self._cache.get(self._embedder.model, tuple(texts)))
        missing = [name for name in texts if name not in known]
        for start in range(0, len(missing), BATCH):
            left(len(missing) - start)
            known |= await self._embedded(missing[start : start + BATCH], texts)
        left(0)
        return known

    async def _embedded(self, hashes: Sequence[str], texts: Mapping[str, str]) -> Mapping[str, Vector]:
        if self.failure:
            return {}
        try:
            vectors = await self._embedder.embed_passages([texts[name] for name in hashes])
        except ProviderUnavailable as exc:
            return self._gave_up(exc)
        fresh = dict(zip(hashes, vectors, strict=True))
        await self._cache.put(self._embedder.model, fresh)
        self.embedded += len(fresh)
        return fresh

    def _gave_up(self, failure: ProviderUnavailable) -> Mapping[str, Vector]:
        """Only what the other index can stand in for; a refused key or a broken primary stops the run."""
        if isinstance(failure, ProviderRefused) or not (
            self._is_fallback or isinstance(failure, QuotaExhausted)
        ):
            raise failure
        self.failure = failure
        return {}


class Indexes:
    """Primary and fallback together."""

    def __init__(self, primary: Embedder, fallback: Embedder | None, cache: EmbeddingCache) -> None:
        self._primary = Index(primary, cache, is_fallback=False)
        self._fallback = Index(fallback, cache, is_fallback=True) if fallback else None

    @property
    def embedded(self) -> int:
        """Texts that a model was asked for, the busier index counted."""
        return max(self._primary.embedded, self._fallback.embedded if self._fallback else 0)

    async def embed(self, chunks: Sequence[Chunk], tell: Tell = unheard) -> tuple[EmbeddedChunk, ...]:
        """
        Every chunk with one vector at least, in order.

        Raises: QuotaExhausted where neither index has a vector; ProviderUnavailable and below.
        """
        texts = {text_hash(chunk.embedding_text): chunk.embedding_text for chunk in chunks}
        indexes = [index for index in (self._primary, self._fallback) if index]

        def told(place: int) -> Callable[[int], None]:
            return lambda left: tell(((place + 1) * len(texts) - left) // len(indexes), len(texts))

        found = [await index.vectors(texts, told(place)) for place, index in enumerate(indexes)]
        primary, fallback = found[0], found[1] if self._fallback else {}
        return tuple(self._joined(chunk, primary, fallback) for chunk in chunks)

    def notices(self) -> tuple[Notice, ...]:
        """What an owner should know: an index with holes, to be filled by `magpie rebuild`."""
        both = (("primary_used_up", self._primary), ("fallback_missing", self._fallback))
        return tuple(index.notice(code) for code, index in both if index and index.failure)

    def _joined(
        self, chunk: Chunk, primary: Mapping[str, Vector], fallback: Mapping[str, Vector]
    ) -> EmbeddedChunk:
        name = text_hash(chunk.embedding_text)
        joined = EmbeddedChunk(chunk=chunk, primary=primary.get(name), fallback=fallback.get(name))
        if joined.primary is None and joined.fallback is None:
            raise self._primary.failure or ProviderUnavailable(
                self._primary.name, "gave no vector for a chunk"
            )
        return joined
