"""Redaction of texts that were made to be slow."""

import time

import pytest

from magpie.text.redaction import RedactionPolicy, redact

SMALL, LARGE = 50_000, 200_000  # characters
MOST = 10
"""Times as long for four times the text: 4 where time is in proportion, 16 where it is in its square."""
CV = RedactionPolicy(name="cv", literals=("José Silva",))


def seconds(piece: str, size: int) -> float:
    """Of the processor, whatever else the machine does."""
    text = (piece * (size // len(piece) + 1))[:size]
    started = time.process_time()
    redact(text, CV)
    return time.process_time() - started


@pytest.mark.parametrize(
    "piece", ["0", " ", "1 2 ", "a@", "a-", " - ", "| ", "912345678, ", "Rua Aaa ", "password=", "at a dot "]
)
def test_a_text_made_to_be_slow(piece: str) -> None:
    """
    Redaction takes time in proportion to the text, where backtracking would take it in its square or worse.
    """
    seconds(piece, 1_000)  # what is made at the first use

    assert seconds(piece, LARGE) < MOST * seconds(piece, SMALL)
