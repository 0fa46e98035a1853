"""What `magpie evaluate` shows people, and how it compares with an earlier report."""

import json
from collections.abc import Sequence

import pytest

from cli.evaluate import show
from infra.local.problems import LocalProblem
from magpie.learning.scoring import Expected, Given, Judged, drops, judge, parity, report


def judged(language: str, same: str, text: str = "It is £14,500.", outcome: str = "answered") -> Judged:
    row = Expected(
        id=f"{same}-{language}", question="?", language=language, kind="a kind with quite a long name", expect="answer",
        sources=("a.md",), facts=(("14,500",),), same=same,
    )  # fmt: skip
    return judge(row, Given(outcome=outcome, text=text, cited=("a.md",), found=("a.md",)))


def shown(capsys: pytest.CaptureFixture[str], rows: Sequence[Judged]) -> str:
    show(report(rows), rows, "Sennit Works")
    return capsys.readouterr().out


def test_the_gap_between_languages_is_told_on_the_same_questions():
    """
    Against the corpus' own language, in points; a question that one language lacks counts nowhere.
    """
    rows = [
        judged("en", "a"),
        judged("en", "b"),
        judged("en", "c"),
        judged("pt", "a"),
        judged("pt", "b", outcome="handoff"),
    ]

    by_language = parity(rows, "en")

    assert (by_language["en"]["hits"], by_language["en"]["count"]) == (2, 2)
    assert by_language["pt"]["gap"] == 50.0


def test_no_line_is_wider_than_a_terminal(capsys):
    """
    Piped or not: nothing is cut off, nothing runs over 80 columns.
    """
    long = "A long answer that goes on and on about the price, which it does not tell. " * 6
    rows = [judged("en", "price"), judged("pt", "price", text=long)]

    lines = shown(capsys, rows).splitlines()

    assert max(map(len, lines)) <= 80
    assert any("50 " in line or "100 points behind" in line for line in lines)
    assert "confident wrong" in "\n".join(lines)


def test_a_report_is_compared_with_an_earlier_one():
    """
    A fall beyond the tolerance is told, one within it is not.
    """
    before = report([judged("en", "a"), judged("en", "b")])
    now = report([judged("en", "a"), judged("en", "b", outcome="handoff")])

    assert drops(now, json.loads(json.dumps(before)), 0.03)
    assert not drops(now, before, 0.6)
    assert not drops(before, before, 0.0)


def test_what_is_no_report_is_refused(tmp_path):
    """
    With a sentence that says what was expected.
    """
    from cli.evaluate import earlier

    file = tmp_path / "old.json"
    file.write_text("[]")

    with pytest.raises(LocalProblem, match="no report of `magpie evaluate --json`"):
        earlier(file)
