"""How answers are scored against what was expected."""

import pytest

from magpie.learning.scoring import Expected, Given, drops, judge, rank_of, report, wilson


def expected(**fields: object) -> Expected:
    known = {"id": "q", "question": "?", "language": "en", "kind": "price", "expect": "answer",
             "sources": ("a.md",), "facts": (("£14,500", "14,500"),)}  # fmt: skip
    return Expected(**{**known, **fields})  # type: ignore[arg-type]


def given(**fields: object) -> Given:
    return Given(
        **{"outcome": "answered", "text": "It is £14,500.", "cited": ("a.md",), "found": ("a.md",), **fields}
    )  # type: ignore[arg-type]


def test_right_needs_facts_and_a_right_citation():
    """
    Neither the fact alone nor the citation alone is enough.
    """
    assert judge(expected(), given()).is_right
    assert not judge(expected(), given(cited=("b.md",))).is_right
    assert not judge(expected(), given(text="It depends.")).is_right


def test_confident_wrong_is_an_answer_without_its_facts():
    """
    A handover is not wrong, an answer without the fact is, and so is one with what is forbidden.
    """
    assert judge(expected(), given(text="It depends.")).is_confident_wrong
    assert judge(expected(forbidden=("12,800",)), given(text="£14,500, once £12,800")).is_confident_wrong
    assert not judge(expected(), given(outcome="handoff", text="I don't know.")).is_confident_wrong
    assert judge(expected(expect="refuse_or_handover", facts=(), sources=()), given()).is_confident_wrong


def test_a_record_is_a_source_of_its_own():
    """
    `data/x.json` stands for any record in it, `data/x.json#kelpie` for one.
    """
    assert rank_of(expected(sources=("data/x.json",)), ("b.md", "data/x.json#kelpie")) == 2
    assert rank_of(expected(sources=("data/x.json#tidewise",)), ("data/x.json#kelpie",)) is None


def test_where_all_sources_are_needed_the_last_one_counts():
    """
    A hit at 5 means that all of them are among the first five.
    """
    assert rank_of(expected(sources=("a.md", "b.md"), needs_all=True), ("a.md", "c.md", "b.md")) == 3


def test_a_policy_that_shows_no_citation_is_not_punished():
    """
    Under it, what was used counts.
    """
    assert judge(expected(), given(cited=(), used=("a.md",), is_silent=True)).is_right
    assert not judge(expected(), given(cited=(), used=("a.md",))).is_right


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"), [(8, 10, 0.490, 0.943), (0, 7, 0.0, 0.354), (7, 7, 0.646, 1.0)]
)
def test_wilson_intervals_agree_with_the_published_formula(hits, count, low, high):
    """
    Values worked out by hand from Wilson's formula with z = 1.96.
    """
    assert (low, high) == tuple(pytest.approx(value, abs=1e-3) for value in wilson(hits, count))


def test_a_drop_is_told_and_a_gain_is_not():
    """
    Rates that fell by more than the tolerance; for confident wrong, rates that rose.
    """
    good = report([judge(expected(), given())] * 10)
    bad = report([judge(expected(), given(text="It depends."))] * 10)

    assert drops(good, bad, 0.03) == ()
    assert {line.partition(":")[0] for line in drops(bad, good, 0.03)} == {
        "answered_right",
        "key_facts",
        "confident_wrong",
    }
