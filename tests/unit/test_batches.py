"""Rows of a file at batch speed."""

import asyncio

from cli.batches import AT_ONCE, WORKED_ON, worked
from magpie.asking.recalling import RecallingEmbedder
from tests.unit.test_recalling import Lengths


async def test_questions_of_a_file_are_embedded_in_batches() -> None:
    """
    Every row in order, its vector there by then; few calls of the model, none for a blank row.
    """
    inner = Lengths()
    embedder = RecallingEmbedder(inner)
    texts = [f"question {number}" for number in range(2 * AT_ONCE + 5)] + [" "]

    async def work(row: int) -> int:
        if texts[row].strip():
            await embedder.embed_queries([texts[row]])
        return row

    rows = [row async for row in worked(range(len(texts)), texts, embedder, work)]

    assert rows == list(range(len(texts)))
    assert [len(batch) for batch in inner.asked] == [AT_ONCE, AT_ONCE, 5]


async def test_a_few_rows_are_worked_on_at_a_time_and_told_in_order() -> None:
    """
    The first to end may be the last to be told; never more at once than are admitted.
    """
    now, most = 0, 0

    async def work(row: int) -> int:
        nonlocal now, most
        now += 1
        most = max(most, now)
        for _ in range(12 - row):
            await asyncio.sleep(0)
        now -= 1
        return row

    rows = [row async for row in worked(range(12), [""] * 12, RecallingEmbedder(Lengths()), work)]

    assert rows == list(range(12))
    assert most == WORKED_ON


async def test_a_model_that_is_down_stops_no_row() -> None:
    """
    What can't be embedded ahead is the row's own affair.
    """
    inner = Lengths()
    inner.is_down = True

    assert [row async for row in worked("abc", "abc", RecallingEmbedder(inner), same)] == ["a", "b", "c"]


async def test_one_question_waits_for_nothing() -> None:
    """
    Its route may need no vector at all.
    """
    inner = Lengths()

    assert [row async for row in worked("a", "a", RecallingEmbedder(inner), same)] == ["a"]
    assert inner.asked == []


async def same(row: str) -> str:
    return row
