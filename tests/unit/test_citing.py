"""Which citations an answer carries, and how they read."""

import pytest

from magpie.asking.citing import Citer
from magpie.model import Evidence
from tests.fakes import passage


def evidence(*contents: str) -> tuple[Evidence, ...]:
    pieces = [
        passage(content, chunk=number, key=f"page:p{number}", url=f"https://sennit.example/p{number}/")
        for number, content in enumerate(contents, start=1)
    ]
    return tuple(
        Evidence(number=number, passage=piece, text=piece.content)
        for number, piece in enumerate(pieces, start=1)
    )


def citer(*contents: str, policy: str = "per_sentence") -> Citer:
    return Citer(evidence(*contents), policy=policy, page=None, hosts=("sennit.example",))  # type: ignore[arg-type]


def test_a_list_of_sources_counts_from_one_in_the_order_of_use():
    """
    The candidates before the text have numbers of their own; what was used is counted anew.
    """
    sources = citer("One.", "Two.", "Three.", policy="list")
    sources.candidates()
    sources.mark(3)
    sources.mark(2)

    final = sources.final()

    assert [(citation.number, citation.key.source_key) for citation in final] == [(1, "p3"), (2, "p2")]


def test_a_number_in_the_text_stays_the_number_of_its_citation():
    """
    Per sentence: the mark that was shown and the citation at the end are the same.
    """
    sources = citer("One.", "Two.")
    marked = sources.mark(2)

    assert marked is not None and marked.number == 1
    assert [citation.number for citation in sources.final()] == [marked.number]


@pytest.mark.parametrize(
    ("content", "quote"),
    [
        ("## What went wrong\n\nThe **cord** stretches.\n", "The cord stretches."),
        ("- geared motor, £19\n- 12 V battery, £24\n", "geared motor, £19; 12 V battery, £24"),
        ("| work | price |\n|---|---|\n| New `probe` | 320,000 ₫ |\n", "work, price; New probe, 320,000 ₫"),
        ("Role: Engineer\nSince: 2021", "Role: Engineer; Since: 2021"),
        ("See [our *prices*](/prices/).", "See our prices."),
    ],
)
def test_a_quote_reads_as_the_page_does(content, quote):
    """
    No heading, no mark of emphasis, list, table or link.
    """
    sources = citer(content)

    assert quote == sources.mark(1).quote


def test_a_long_quote_ends_at_a_word():
    """
    With three dots, and never in the middle of a word.
    """
    quote = citer("harbour " * 100).mark(1).quote

    assert len(quote) <= 241
    assert quote.endswith("harbour…")
