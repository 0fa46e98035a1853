"""
Filling missing fallback vectors, batch by batch.

Each batch is stored before the next is asked for: a run that is stopped, killed or out of quota
loses nothing, and the next one goes on where it ended.
"""

from collections.abc import Callable
from dataclasses import dataclass

from magpie.errors import ProviderUnavailable
from magpie.model import IngestProgress, Stage
from magpie.ports import Embedder, MissingVectors, Progress

BATCH = 64  # ledger P6


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """
    `filled` vectors are stored. `more` are missing still, where a provider stopped the run (and
    `stopped_by` tells why) or its time was up.
    """

    filled: int
    stopped_by: str = ""
    more: bool = False


def always() -> bool:
    """For a run whose time is not limited."""
    return True


async def rebuild(
    missing: MissingVectors,
    fallback: Embedder,
    progress: Progress,
    may_go_on: Callable[[], bool] = always,
) -> Rebuilt:
    """
    Fill every missing fallback vector of every kept version, for as long as it may go on; one
    batch at least.

    The embedder's own patience (429, 5xx) is used up before a run stops. Raises: DatabaseUnavailable.
    """
    filled = 0
    while batch := await missing.next_batch(BATCH):
        if filled and not may_go_on():
            return Rebuilt(filled=filled, more=True)
        try:
            vectors = await fallback.embed_passages([text for _, text in batch])
        except ProviderUnavailable as exc:
            return Rebuilt(filled=filled, stopped_by=str(exc), more=True)
        await missing.fill({chunk: vector for (chunk, _), vector in zip(batch, vectors, strict=True)})
        filled += len(batch)
        progress(IngestProgress(stage=Stage.EMBEDDING, done=filled))
    return Rebuilt(filled=filled)
