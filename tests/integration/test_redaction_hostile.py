"""Redaction of a megabyte that was made to be slow."""

import time

import pytest

from magpie.text.redaction import RedactionPolicy, redact

SIZE = 1_000_000
CV = RedactionPolicy(name="cv", literals=("José Silva",))


@pytest.mark.parametrize(
    "piece", ["0", " ", "1 2 ", "a@", "a-", " - ", "| ", "912345678, ", "Rua Aaa ", "password=", "at a dot "]
)
@pytest.mark.timeout(900)
def test_a_megabyte_made_to_be_slow(piece: str) -> None:
    """
    A megabyte takes time in proportion: seconds of the processor, where backtracking would take hours.
    """
    text = (piece * (SIZE // len(piece) + 1))[:SIZE]

    started = time.process_time()
    redact(text, CV)

    assert time.process_time() - started < 120
