"""Filling missing fallback vectors."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from magpie.errors import QuotaExhausted
from magpie.ingesting.rebuild import rebuild
from magpie.ingesting.run import silent
from magpie.model import ChunkId, Vector
from tests.fakes_of_ingesting import FakePassageEmbedder


@dataclass
class Missing:
    """Chunks without a vector, and those that got one."""

    texts: dict[ChunkId, str]
    filled: dict[ChunkId, Vector] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)

    async def next_batch(self, limit: int) -> tuple[tuple[ChunkId, str], ...]:
        return tuple((chunk, text) for chunk, text in self.texts.items() if chunk not in self.filled)[:limit]

    async def fill(self, vectors: Mapping[ChunkId, Vector]) -> None:
        self.batches.append(len(vectors))
        self.filled |= vectors


@dataclass
class Exhausted(FakePassageEmbedder):
    """Its quota lasts for one batch."""

    calls: int = 0

    async def embed_passages(self, texts: list[str]) -> tuple[Vector, ...]:
        self.calls += 1
        if self.calls > 1:
            raise QuotaExhausted("provider", "used up")
        return await super().embed_passages(texts)


def missing(count: int) -> Missing:
    return Missing({ChunkId(number): f"text {number}" for number in range(count)})


async def test_batches_of_64_until_none_is_missing() -> None:
    """Every chunk gets its vector, 64 at a time."""
    chunks = missing(130)

    done = await rebuild(chunks, FakePassageEmbedder(), silent)

    assert (done.filled, done.stopped_by) == (130, "")
    assert chunks.batches == [64, 64, 2]


async def test_a_run_that_stops_loses_nothing_and_goes_on() -> None:
    """What was filled before the quota ended stays; the next run does only the rest."""
    chunks = missing(100)

    stopped = await rebuild(chunks, Exhausted(), silent)
    resumed = await rebuild(chunks, FakePassageEmbedder(), silent)

    assert stopped.filled == 64 and "used up" in stopped.stopped_by
    assert resumed.filled == 36 and len(chunks.filled) == 100


async def test_nothing_missing_costs_no_call() -> None:
    """A second run over a complete index asks nobody."""
    embedder = FakePassageEmbedder()

    done = await rebuild(missing(0), embedder, silent)

    assert done.filled == 0 and embedder.texts == []
