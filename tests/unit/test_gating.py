"""A draft against the version before it, by the site's own questions."""

from dataclasses import dataclass, field

import pytest

from magpie.errors import CorpusInvalid, GateClosed
from magpie.learning.gating import compared, examined
from magpie.learning.scoring import Expected, Given, questions_of
from magpie.model import GateReport, VersionId

ROWS = tuple(
    Expected(
        id=f"q{number}",
        question=f"What does number {number} cost?",
        language="en",
        kind="price",
        expect="answer",
        sources=("a.md",),
        facts=((f"£{number}",),),
    )
    for number in range(10)
)


@dataclass
class FakeExaminee:
    """Knows every price but those of `forgotten`, which it hands over; has no answer to `broken`."""

    forgotten: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    prepared: int = 0
    asked: list[str] = field(default_factory=list)

    async def prepare(self) -> None:
        self.prepared += 1

    async def answer(self, expected: Expected) -> Given:
        self.asked.append(expected.id)
        if expected.id in self.broken:
            return Given(outcome="failed", text="")
        if expected.id in self.forgotten:
            return Given(outcome="handoff", text="Ask the office.", found=("a.md",))
        return Given(
            outcome="answered", text=f"It costs £{expected.id[1:]}.", found=("a.md",), cited=("a.md",)
        )


async def report_of(now: FakeExaminee, before: FakeExaminee | None, tolerance: float = 0.05) -> GateReport:
    was = await examined(before, ROWS) if before else None
    return compared(ROWS, await examined(now, ROWS), was, tolerance, VersionId(3) if before else None)


async def test_a_drop_beyond_the_tolerance_closes_the_gate_and_names_the_questions():
    """The error says which rate fell, by how much, and which questions lost their answer."""
    report = await report_of(FakeExaminee(forgotten=frozenset({"q2", "q7"})), FakeExaminee())

    assert not report.is_open
    message = str(GateClosed(report))
    assert "worse than version 3" in message
    assert "answered_right: 100.0% before, 80.0% now" in message
    assert "q2 (What does number 2 cost?): answered before, handoff now" in message
    assert "q7" in message and "q3" not in message


async def test_a_drop_within_the_tolerance_is_told_and_passes():
    """One question of ten with a tolerance of a tenth: the draft may go, the question is named."""
    report = await report_of(FakeExaminee(forgotten=frozenset({"q2"})), FakeExaminee(), tolerance=0.1)

    assert report.is_open
    assert [line.split()[0] for line in report.worse] == ["q2"]


async def test_an_equal_or_better_draft_passes():
    """What was bad before and still is, or is mended now, is no loss."""
    before = FakeExaminee(forgotten=frozenset({"q2", "q3"}))

    report = await report_of(FakeExaminee(forgotten=frozenset({"q2"})), before)

    assert (report.is_open, report.worse, report.before) == (True, (), 3)


async def test_a_first_version_has_nothing_to_lose():
    """Without a version before it the draft passes, and the report says that nothing was compared."""
    report = await report_of(FakeExaminee(forgotten=frozenset({"q2"})), None)

    assert (report.is_open, report.before, report.asked) == (True, None, 10)


@pytest.mark.parametrize("broken_now", [True, False])
async def test_questions_without_an_answer_close_the_gate(broken_now):
    """A provider that is down says nothing of the pages, on either side: nothing is published unjudged."""
    broken, whole = FakeExaminee(broken=frozenset({"q4"})), FakeExaminee()

    report = await report_of(broken, whole) if broken_now else await report_of(whole, broken)

    assert (report.is_open, report.failed) == (False, ("q4",))
    assert "could not judge" in str(GateClosed(report))


async def test_every_question_is_asked_once_after_getting_ready():
    """And whoever watches hears how many are done."""
    examinee = FakeExaminee()
    told: list[int] = []

    await examined(examinee, ROWS, told.append)

    assert (examinee.prepared, examinee.asked) == (1, [row.id for row in ROWS])
    assert told == list(range(1, 11))


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "holds no question"),
        (b'\n{"id": 1}', "line 2: lacks 'question'"),
        (b"[1]", "line 1"),
        (b'{"id": 1, "question": "?"', "line 1"),
        ("é".encode("latin-1"), "UTF-8"),
    ],
)
def test_a_question_file_that_cannot_be_read_says_where(raw, said):
    """File and line, and what a line should be."""
    with pytest.raises(CorpusInvalid, match=said):
        questions_of(raw, "questions.jsonl")
