"""How sure an answer says it is, and whether that holds."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magpie.asking.confidence import calibrated, confidence
from magpie.errors import SiteInvalid
from magpie.learning.calibrating import calibration, error, points, said_against_right
from magpie.learning.scoring import Given, Judged
from magpie.model import Evidence
from magpie.site import ConfidenceWeights, load_site
from tests.fakes import FakeWriter, passage
from tests.unit.asking_site import SITE, Desk, done, site

TODAY = date(2026, 11, 30)


def evidence(*passages):
    return [Evidence(number=n, passage=one, text=one.content) for n, one in enumerate(passages, start=1)]


def found(cosine=None, route="semantic", **more):
    return replace(passage(**more), semantic=cosine, route=route)


def weighed(*passages, **weights):
    return confidence(evidence(*passages), site(confidence=ConfidenceWeights(**weights)), TODAY)


@pytest.mark.parametrize(
    ("one", "retrieval"),
    [
        (found(0.72), 0.0),
        (found(0.80), 0.5),
        (found(0.88), 1.0),
        (found(0.99), 1.0),
        (found(0.10), 0.0),
        (found(), 0.5),
        (found(0.10, route="projects"), 1.0),
    ],
)
def test_nearness_is_read_by_the_model(one, retrieval):
    """
    A cosine between the floor and twice the way to "weak"; words alone a half; a route that knows, sure.
    """
    sure = weighed(one, retrieval=1, diversity=0, recency=0)

    assert sure.of_evidence == pytest.approx(retrieval)


def test_more_and_newer_sources_are_surer():
    """
    Each further source and a newer date raise it; two chunks of one source are one.
    """
    alone = {"retrieval": 0, "diversity": 1, "recency": 0}
    timely = {"retrieval": 0, "diversity": 0, "recency": 1}

    counts = [
        weighed(*(found(key=f"page:{number}") for number in range(count)), **alone).said
        for count in (1, 2, 3)
    ]
    same = weighed(found(key="page:a", chunk=1), found(key="page:a", chunk=2), **alone).said
    ages = [weighed(found(published=day), **timely).said for day in (TODAY, date(2022, 12, 1), None)]

    assert counts == [0.5, 0.75, 0.875]
    assert same == 0.5
    assert ages == pytest.approx([1.0, 0.5, 0.5], abs=0.01)


def test_what_rests_on_no_page_says_nothing():
    """
    An answer from metadata alone has no evidence to be sure of.
    """
    assert confidence([], site(), TODAY) is None


@given(
    value=st.floats(min_value=0, max_value=1),
    marks=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=5, unique_by=lambda mark: mark[0]),
)
def test_calibration_stays_within_its_points(value, marks):
    """
    Whatever the points, what is said lies between them; without any it is the sum itself.
    """
    marks = sorted(marks)
    said = calibrated(value, marks)

    if not marks:
        assert said == value
    else:
        shares = [share for _, share in marks]
        assert min(shares) - 1e-9 <= said <= max(shares) + 1e-9


def test_points_that_fall_back_are_refused():
    """
    The site file is told which key is wrong.
    """
    with pytest.raises(SiteInvalid, match=r"confidence.*rising"):
        load_site(SITE + "\nconfidence: {points: [[0.8, 0.9], [0.2, 0.1]]}")
    with pytest.raises(SiteInvalid, match="above 0"):
        load_site(SITE + "\nconfidence: {retrieval: 0, diversity: 0, recency: 0}")


async def test_the_trace_of_an_answer_says_it():
    """
    Of an answer, and of nothing that is none.
    """
    answered = done(await Desk().ask("How fast do you answer?")).trace
    handed = done(await Desk(writer=FakeWriter(pieces=("[[no answer]]",))).ask("How fast?")).trace

    assert 0 < answered["confidence"] == answered["confidence_of_evidence"] < 1
    assert "confidence" not in handed


def judged(sure: float, right: bool) -> Judged:
    given_ = Given(outcome="answered", text="", confidence=sure, of_evidence=sure)
    return Judged(id="q", kind="k", language="en", is_right=right, is_confident_wrong=not right, given=given_)


def test_said_against_right_is_a_table():
    """
    A row a fifth of the scale, its mean, its share of right answers with the interval; their mean distance.
    """
    rows = said_against_right([judged(0.1, False), judged(0.9, True), judged(0.95, True), judged(1.0, False)])

    assert [(row["from"], row["count"], row["hits"]) for row in rows] == [(0.0, 1, 0), (0.8, 3, 2)]
    assert rows[1]["said"] == pytest.approx(0.95)
    assert error(rows) == pytest.approx((0.1 + 3 * (0.95 - 2 / 3)) / 4, abs=1e-3)


def test_points_never_fall():
    """
    Groups that fall are pooled, so that more evidence never says less; too few answers give no points.
    """
    rows = [judged(sure / 40, right=sure % 4 != 0) for sure in range(40)]

    assert points(rows[:3]) == []
    for marks in (points(rows), points([judged(sure / 20, right=sure < 10) for sure in range(20)])):
        shares = [share for _, share in marks]
        assert shares == sorted(shares)
        ConfidenceWeights(points=tuple(map(tuple, marks)))


def test_calibrated_answers_say_what_holds():
    """
    With the points that were found, said and right come nearer than before.
    """
    raw = [judged(0.9, right=number % 3 == 0) for number in range(30)] + [
        judged(0.4, False) for _ in range(10)
    ]
    marks = points(raw)

    again = [
        replace(one, given=replace(one.given, confidence=calibrated(one.given.of_evidence, marks)))
        for one in raw
    ]

    assert calibration(again)["error"] < 0.1 < calibration(raw)["error"]
