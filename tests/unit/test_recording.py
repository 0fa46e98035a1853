"""What is kept of an answer, and what becomes of it when nothing can be kept."""

import asyncio
import logging
import subprocess
import sys
from dataclasses import replace

import pytest

from magpie.asking.masking import Mask
from magpie.asking.recording import Recorder
from magpie.asking.trail import Clock
from magpie.errors import DatabaseUnavailable, ProviderUnavailable
from magpie.model import Delta, Done, Failed, Page, Started, Turn
from tests.fakes import FakeCatalogue, FakeRecords, FakeWriter
from tests.unit.asking_site import Desk, done, said, site

DOWN = DatabaseUnavailable("it is down")


def recorded_desk(records: FakeRecords, *, record_s: float = 1.0, privacy: dict | None = None, **parts):
    """A desk whose answers are kept in `records`."""
    ours = site(privacy=site().privacy.model_copy(update=privacy or {}))
    recorder = Recorder(ours, records, Clock(), prompt_hash="prompts", record_s=record_s)
    return Desk(site=ours, recorder=recorder, **parts)


async def test_an_answer_is_kept_before_done_goes_out():
    """
    When `done` arrives, question, answer, outcome, route, evidence, verdicts and receipt are kept.
    """
    records = FakeRecords()
    desk = recorded_desk(records)
    seen = []

    async for part in desk.asker.ask(desk.question("How fast?", session_id="s1", page=Page(path="/a/"))):
        seen.append((type(part), len(records.kept)))

    (kept,) = records.kept
    assert seen[-1] == (Done, 1)
    assert (kept.question, kept.answer) == ("How fast?", "We answer within one working day.")
    assert (kept.session_id, kept.outcome, kept.routes, kept.page) == ("s1", "answered", ("semantic",), "/a/")
    assert (kept.version_id, kept.model, kept.prompt_hash) == (7, "fake-writer", "prompts")
    assert (kept.usage.input_tokens, kept.usage.output_tokens, kept.verdicts["released"]) == (10, 5, 1)
    assert [(use.number, use.content_hash, use.used) for use in kept.evidence] == [(1, "hash-1", True)]
    assert kept.timings_ms["total"] > 0
    assert desk.receipts.read(kept.receipt).session_id == "s1"


async def test_a_visitors_personal_data_is_masked():
    """
    E-mail, phone and address of the visitor are not kept; the contact that we tell everybody is.
    """
    records = FakeRecords()
    desk = recorded_desk(records, writer=FakeWriter(pieces=("Write to hello@sennit.example. [1]",)))
    page = Page(path="/account/ana%40mail.example?token=abc")

    await desk.ask("I am ana@mail.example, +351 912 345 678", session_id="s1", page=page)

    (kept,) = records.kept
    assert kept.question == "I am [redacted email], [redacted phone]"
    assert "hello@sennit.example" in kept.answer
    assert kept.page == "/account/[redacted email]"
    assert kept.masked


async def test_a_visitors_name_is_kept_nowhere_in_the_question():
    """
    Who said their name is not in the record by it: not again in the question, and not turns later.
    """
    records = FakeRecords()
    earlier = Turn(role="user", text="Olá, o meu nome é Zebulon Quartermaine.")

    await recorded_desk(records).ask("My name is Zebulon. Does Zebulon wait?", session_id="s1")
    await recorded_desk(records).ask("And does Mr Quartermaine?", session_id="s1", history=(earlier,))

    assert [kept.question for kept in records.kept] == [
        "My name is [redacted name]. Does [redacted name] wait?",
        "And does Mr [redacted name]?",
    ]


@pytest.mark.parametrize(
    ("heard", "answer", "kept"),
    [
        ("I am called Zebulon Quartermaine", "No work with Zebulon.", "No work with [redacted name]."),
        ("my name is will", "We will write, Will says.", "We will write, Will says."),
        ("My name is Ana", "Ana's boat is a banana.", "[redacted name]'s boat is a banana."),
        ("Does Zebulon work there?", "Zebulon works here.", "Zebulon works here."),
    ],
)
def test_a_visitors_name_is_not_kept_in_what_we_said(heard, answer, kept):
    """
    A name that was introduced goes where it stands by itself; others are the site's to tell.
    """
    assert Mask(site(), (heard,)).answer(answer) == kept


@pytest.mark.parametrize(
    ("record", "kept"),
    [("full", ["I am ana@mail.example"]), ("masked", ["I am [redacted email]"]), ("none", [])],
)
async def test_the_owner_says_what_is_kept(record, kept):
    """
    Everything, everything masked, or nothing.
    """
    records = FakeRecords()

    await recorded_desk(records, privacy={"record": record}).ask("I am ana@mail.example", session_id="s1")

    assert [one.question for one in records.kept] == kept


async def test_who_has_no_session_is_not_kept():
    """
    An owner's own questions on the command line are not a visitor's.
    """
    records = FakeRecords()

    await recorded_desk(records).ask("How fast?")

    assert records.kept == []


@pytest.mark.parametrize("trouble", [{"error": DOWN}, {"delay_s": 600.0}])
async def test_an_answer_is_given_when_it_can_t_be_kept(trouble, caplog):
    """
    A database that is down or slow costs the visitor nothing but a moment; it is counted, and logged by id.
    """
    desk = recorded_desk(FakeRecords(**trouble), record_s=0.05)

    parts = await asyncio.wait_for(desk.ask("How fast?", session_id="s1"), 60)

    assert done(parts).trace["counts"]["record_failed"] == 1
    assert "one working day" in said(parts)
    (line,) = [line for line in caplog.records if line.name == "magpie.record"]
    assert (line.levelno, line.answer_id) == (logging.WARNING, "a1")


async def test_where_a_record_is_demanded_nothing_is_said_without_one():
    """
    `must_record`: no word goes out before the question is kept, and the stream ends with an error.
    """
    desk = recorded_desk(FakeRecords(error=DOWN), privacy={"must_record": True})

    parts = await desk.ask("How fast?", session_id="s1")

    assert [part for part in parts if isinstance(part, Delta)] == []
    assert parts[-1].code == "record_unavailable"


async def test_where_a_record_is_demanded_the_question_is_kept_first():
    """
    `must_record`: a record stands before the first word, and gets its end.
    """
    records = FakeRecords()

    await recorded_desk(records, privacy={"must_record": True}).ask("How fast?", session_id="s1")

    assert [(one.outcome, one.answer != "") for one in records.kept] == [("begun", False), ("answered", True)]


async def test_what_a_visitor_did_not_wait_for_is_kept_unfinished():
    """
    A visitor who stops or leaves in the middle leaves what was said until then.
    """
    records = FakeRecords()
    desk = recorded_desk(
        records, writer=FakeWriter(pieces=("We answer within one working day. And", " so on"), piece_s=9)
    )
    parts = desk.asker.ask(desk.question("How fast?", session_id="s1"))

    async for part in parts:
        if isinstance(part, Delta):
            break
    await parts.aclose()

    assert [(one.outcome, one.answer) for one in records.kept] == [
        ("unfinished", "We answer within one working day.")
    ]


async def test_a_failure_is_kept_by_its_name():
    """
    A model that is lost in the middle leaves a record of how far it came, and which error it was.
    """
    records = FakeRecords()
    lost = FakeWriter(
        pieces=("We answer within one working day. ", "And "), error=ProviderUnavailable("p", "gone")
    )

    parts = await recorded_desk(records, writer=lost).ask("How fast?", session_id="s1")

    assert isinstance(parts[-1], Failed)
    assert [(one.outcome, one.error) for one in records.kept] == [("failed", "ProviderUnavailable")]


async def test_a_question_that_is_refused_at_once_is_not_kept():
    """
    What raises before the first part is the edge's business.
    """
    records = FakeRecords()
    desk = recorded_desk(records, catalogue=FakeCatalogue(error=DOWN))

    with pytest.raises(DatabaseUnavailable):
        await desk.ask("How fast?", session_id="s1")

    assert records.kept == []


@pytest.mark.parametrize(("is_awake", "kept"), [(True, 1), (False, 0)])
async def test_a_courtesy_wakes_no_database(is_awake, kept):
    """
    Hello is kept where the database is awake; a sleeping one is let sleep, and that is counted.
    """
    records = FakeRecords(is_awake=is_awake)

    parts = await recorded_desk(records).ask("Hi there!", session_id="s1")

    assert len(records.kept) == kept
    assert done(parts).trace["counts"].get("record_asleep", 0) == 1 - kept


async def test_the_start_still_comes_first():
    """
    Keeping a record changes neither order nor number of the parts.
    """
    plain, kept = Desk(), recorded_desk(FakeRecords())

    before = [type(part) for part in await plain.ask("How fast?")]
    after = [type(part) for part in await kept.ask("How fast?", session_id="s1")]

    assert before == after
    assert after[0] is Started


@pytest.mark.parametrize(
    ("words", "masked"),
    [
        ("call me on (020) 7946 0123 please", "call me on [redacted phone] please"),
        ("what does a survey of 12 berths cost?", "what does a survey of 12 berths cost?"),
        ("DE89 3704 0044 0532 0130 00", "[redacted iban]"),
        ("half a pair \ud83d", "half a pair ?"),
    ],
)
async def test_what_masking_takes_and_leaves(words, masked):
    """
    Numbers that identify go, numbers that are asked about stay, broken text becomes storable.
    """
    records = FakeRecords()

    await recorded_desk(records).ask(words, session_id="s1")

    assert records.kept[0].question == masked


def test_a_page_without_personal_data_stays_as_it_is():
    """
    Escapes in an address are not touched where nothing personal stands in it.
    """
    assert Mask(site()).page("/artigos/p%C3%A3o/") == "/artigos/p%C3%A3o/"


async def test_two_questions_at_once_do_not_mix():
    """
    The recorder holds nothing between questions.
    """
    records = FakeRecords()
    desk = recorded_desk(records)

    async def ask(number: int) -> None:
        question = replace(desk.question(f"Question {number}?", session_id=f"s{number}"), id=f"a{number}")
        _ = [part async for part in desk.asker.ask(question)]

    await asyncio.gather(*(ask(number) for number in range(10)))

    assert sorted((one.session_id[1:], one.answer_id[1:], one.question) for one in records.kept) == [
        (str(number), str(number), f"Question {number}?") for number in range(10)
    ]


def test_a_cold_start_waits_for_no_pattern_of_the_mask():
    """
    What masks is loaded while the first answer is read, not before the first question can be asked.
    """
    script = "import sys, magpie.asking.pipeline; print('magpie.text.redaction' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
