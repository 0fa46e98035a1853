"""A fault before and after every step of a publish, a thousand times over: readers see one whole version."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from magpie.adapters.postgres import (
    Database,
    PostgresCatalogue,
    PostgresHistory,
)
from magpie.errors import MagpieError
from tests.corpora import publish, revision
from tests.cutting import Cut, Line, cuttable
from tests.editions import KEPT, Reader, edition, rows, texts

TIMES = 250  # for each of four kinds of fault: a thousand
PRUNE_EVERY = 100


async def attempt(through: Database, number: int) -> bool:
    """Whether the publisher believes that it published."""
    try:
        await publish(through, edition(number), kept=[KEPT])
    except MagpieError:
        return False
    return True


async def attempt_and_die(through: Database, line: Line, number: int) -> bool:
    """The same; where its machine dies the publisher does nothing more, not even tidy up."""
    publishing = asyncio.ensure_future(attempt(through, number))
    dying = asyncio.ensure_future(line.dead.wait())
    await asyncio.wait({publishing, dying}, return_when=asyncio.FIRST_COMPLETED)
    dying.cancel()
    while line.dead.is_set() and not publishing.done():
        publishing.cancel()
        await asyncio.sleep(0)
    with contextlib.suppress(asyncio.CancelledError):
        return await publishing
    return False


async def steps_of(through: Database, line: Line, number: int) -> int:
    """How many steps a publish has that nothing disturbs, on connections of its own."""
    line.begin(None)
    assert await attempt(through, number)
    return line.steps


@pytest.mark.parametrize("whole", [False, True], ids=["one connection", "all connections"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_fault_at_any_step_leaves_one_whole_version(
    database: Database, database_url: str, tmp_path: Path, after: bool, whole: bool
) -> None:
    """
    Whatever breaks, whenever: after each fault the active version is the one before or the new
    one, whole; a publisher that was told of success is never wrong; whoever read meanwhile saw
    nothing else; and the next run works and leaves no remains of the others.
    """
    await publish(database, [*edition(0), revision(KEPT, "kept words")])
    patient = Database(database_url, search_timeout_s=60)
    reader = Reader(patient)
    number, steps_hit = 1, set()
    async with cuttable(database_url, tmp_path) as (url, line):
        async with Database(url) as fresh:
            steps = await steps_of(fresh, line, number)
        for given in range(2, TIMES + 2):
            cut = Cut(step=given % steps, after=after, whole=whole)
            done = asyncio.Event()
            watching = asyncio.ensure_future(reader.watch(done))
            line.begin(cut)
            async with Database(url, connect_timeout_s=2) as through:
                believes = await attempt_and_die(through, line, given)
                line.end()
            done.set()
            await watching

            _, found = await reader.look()

            assert found in (texts(number), texts(given)), cut
            assert not believes or found == texts(given), cut
            assert reader.seen <= {tuple(texts(number)), tuple(texts(given))}, cut
            steps_hit |= {cut.step} if line.happened else set()
            number = given if found == texts(given) else number
            reader.seen.clear()
            if given % PRUNE_EVERY == 0:
                await PostgresHistory(database).prune(1, grace_s=0)
    again = await publish(database, edition(0), kept=[KEPT])

    await patient.close()
    assert steps_hit == set(range(steps))
    assert again == await PostgresCatalogue(database).active_version()
    assert rows(database_url) == (0, 0)
