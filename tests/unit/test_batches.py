"""Rows of a file at batch speed."""

from cli.batches import AT_ONCE, embedded_ahead
from magpie.asking.recalling import RecallingEmbedder
from tests.unit.test_recalling import Lengths


async def test_questions_of_a_file_are_embedded_in_batches() -> None:
    """
    Every row in order, its vector there by then; few calls of the model, none for a blank row.
    """
    inner = Lengths()
    embedder = RecallingEmbedder(inner)
    texts = [f"question {number}" for number in range(2 * AT_ONCE + 5)] + [" "]

    rows = []
    async for row in embedded_ahead(range(len(texts)), texts, embedder):
        rows.append(row)
        if texts[row].strip():
            await embedder.embed_queries([texts[row]])

    assert rows == list(range(len(texts)))
    assert [len(batch) for batch in inner.asked] == [AT_ONCE, AT_ONCE, 5]


async def test_a_model_that_is_down_stops_no_row() -> None:
    """
    What can't be embedded ahead is the row's own affair.
    """
    inner = Lengths()
    inner.is_down = True

    assert [row async for row in embedded_ahead("abc", "abc", RecallingEmbedder(inner))] == ["a", "b", "c"]


async def test_one_question_waits_for_nothing() -> None:
    """
    Its route may need no vector at all.
    """
    inner = Lengths()

    assert [row async for row in embedded_ahead("a", "a", RecallingEmbedder(inner))] == ["a"]
    assert inner.asked == []
