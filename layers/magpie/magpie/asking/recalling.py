"""
Vectors that a process has made lately, so that nothing is embedded twice.

One question is embedded for its kind, for the search and for the writer's second opinion; the
sentences of a page are read for many questions.
"""

import hashlib
from array import array
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

from magpie.model import EmbeddingModel, Vector
from magpie.ports import Embedder

MOST_KEPT = 512  # vectors: 6 MB of 1,536 numbers each


class RecallingEmbedder:
    """
    The `Embedder` port over another. What it keeps is named by a digest: no visitor's words stay.

    Texts that are embedded at the same moment are embedded each time; failures are not kept.
    """

    def __init__(self, embedder: Embedder, most: int = MOST_KEPT) -> None:
        self._embedder = embedder
        self._most = most
        self._kept: OrderedDict[bytes, array[float]] = OrderedDict()  # tuples weigh four times as much

    @property
    def model(self) -> EmbeddingModel:
        return self._embedder.model

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return await self._recalled("query", texts, self._embedder.embed_queries)

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return await self._recalled("passage", texts, self._embedder.embed_passages)

    async def _recalled(
        self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Awaitable[tuple[Vector, ...]]]
    ) -> tuple[Vector, ...]:
        names = [
            hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass")).digest() for text in texts
        ]
        known: dict[bytes, Vector] = {name: tuple(self._kept[name]) for name in names if name in self._kept}
        missing = {name: text for name, text in zip(names, texts, strict=True) if name not in known}
        if missing:
            known |= zip(missing, await embed(list(missing.values())), strict=True)
        self._keep({name: known[name] for name in names})
        return tuple(known[name] for name in names)

    def _keep(self, vectors: dict[bytes, Vector]) -> None:
        for name, vector in vectors.items():
            self._kept[name] = array("d", vector)
            self._kept.move_to_end(name)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
