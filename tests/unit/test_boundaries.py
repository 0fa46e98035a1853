"""A technology's name is found as it is written, and nowhere else."""

import pytest

from magpie.adapters.postgres.boundaries import boundaries


def test_a_term_needs_a_letter_or_a_digit() -> None:
    """
    Signs alone are no term.
    """
    assert boundaries("++") is None
    assert boundaries("  ") is None


@pytest.mark.parametrize(
    ("term", "blind"), [("Go", False), ("R", False), ("C++", False), ("Rust", True), ("Node.js", True)]
)
def test_short_names_count_as_written(term: str, blind: bool) -> None:
    """
    Case decides where a name has two letters or fewer.
    """
    held = boundaries(term)

    assert held is not None
    assert held.blind is blind
