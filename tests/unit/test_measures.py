"""What an answer's log line counts, and that it counts for CloudWatch."""

import json

import pytest

from functions.measures import measures_of
from magpie.model import Failed, Intent
from tests.fakes import FakeClassifier, FakeRouter, FakeWriter
from tests.unit.asking_site import Desk, done, said


def metrics(line: dict) -> dict[str, float]:
    """The metrics as CloudWatch reads them from a line of JSON."""
    line = json.loads(json.dumps(line))
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "Magpie"
    assert line["_aws"]["Timestamp"] > 1_600_000_000_000
    assert [[isinstance(line[name], str) for name in names] for names in directive["Dimensions"]] == [[True]]
    found = {metric["Name"]: line[metric["Name"]] for metric in directive["Metrics"]}
    assert all(isinstance(value, int | float) for value in found.values())
    assert len(found) <= 100
    return found


async def test_an_answer_counts_its_outcome_its_cost_and_its_time():
    """
    One line tells how it ended, what it took, and what went wrong on the way.
    """
    parts = await Desk(classifier=FakeClassifier(malformed=True)).ask("How fast do you answer?")

    found = metrics(measures_of(done(parts), "sennit"))

    assert (found["answers"], found["outcome_answered"], found["classifier_malformed"]) == (1, 1, 1)
    assert found["total_ms"] >= found["first_text_ms"] > 0


async def test_sentences_that_were_held_are_counted():
    """
    The guard's work shows.
    """
    parts = await Desk(
        writer=FakeWriter(pieces=("We answer within one working day. [1] It costs $900.",))
    ).ask("Hm?")

    found = metrics(measures_of(done(parts), "sennit"))

    assert found["held"] == 1


async def test_what_had_to_be_handed_over_is_counted():
    """
    Each outcome has a count of its own.
    """
    parts = await Desk(router=FakeRouter()).ask("Who insures you?")

    assert metrics(measures_of(done(parts), "sennit"))["outcome_handoff"] == 1


@pytest.mark.parametrize(
    ("last", "name"), [(Failed(code="deadline", message="too slow, sorry"), "failed"), (None, "left")]
)
def test_answers_without_an_end_are_counted(last, name):
    """
    Failures by their code, and visitors who left.
    """
    line = measures_of(last, "sennit")

    assert metrics(line) == {"answers": 1, name: 1}
    assert "sorry" not in json.dumps(line)


async def test_a_line_holds_no_word():
    """
    Neither the visitor's, nor ours, nor a path of the corpus.
    """
    desk = Desk(classifier=FakeClassifier(intent=Intent.SMALL_TALK, response="Quokkas are fine."))
    parts = [*await Desk().ask("Where do quokkas live?"), *await desk.ask("Are quokkas fine?")]

    lines = json.dumps([measures_of(part, "sennit") for part in parts if type(part).__name__ == "Done"])

    assert "quokkas" in said(parts).lower()
    for word in ("quokka", "working day", "pages/contact.md", "Contact"):
        assert word.lower() not in lines.lower()
