"""What a change says in facts."""

from magpie.ingesting.differing import FactChange, fact_change
from magpie.model import SourceChange, SourceKey


def changed(before: str, after: str) -> FactChange:
    key = SourceKey(source_type="page", source_key="prices")
    return fact_change(
        SourceChange(key=key, title="Prices", path="prices.md", before=before, after=after), "en"
    )


def test_a_changed_price_and_date_are_told_by_themselves() -> None:
    """Of a page that was rewritten, an owner sees the facts that visitors will hear otherwise."""
    change = changed(
        "A day costs £720 until 3 May 2026.", "One day is £755, and that holds until 3 May 2027."
    )

    assert {text for _, text in change.gone} >= {"GBP 720", "3 May 2026"}
    assert {text for _, text in change.new} >= {"GBP 755", "3 May 2027"}


def test_other_words_for_the_same_facts_are_no_change() -> None:
    """A rewritten sentence with the same price and address changes no fact."""
    change = changed("Write to a@b.example: it costs £720.", "£720 is our price. Our address: a@b.example.")

    assert (change.gone, change.new) == ((), ())
