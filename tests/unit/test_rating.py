"""What may be said of an answer, by whom, how often."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from functions.public.feedback import parsed_rating
from magpie.asking.rating import GivenRating
from magpie.asking.trail import Clock
from magpie.errors import BadQuestion, DatabaseUnavailable
from magpie.model import AnswerId
from tests.fakes import FakeRecords
from tests.unit.asking_site import Desk, done, site

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


async def answered(desk: Desk, session_id: str = "s1") -> GivenRating:
    """A rating of an answer that was given to this session."""
    parts = await desk.ask("How fast do you answer?", session_id=session_id)
    return GivenRating(
        answer_id=AnswerId("a1"), receipt=done(parts).receipt, usefulness=4, used_question=True, reason="fine"
    )


def ticket_of(desk: Desk, session_id: str) -> str:
    fresh = desk.tickets.admit("", origin="https://sennit.example", now=desk.clock.now())
    return desk.tickets.seal(replace(fresh, session_id=session_id))


async def test_a_rating_is_kept_with_its_session():
    """
    Usefulness, whether it helped and why are kept with the session that the receipt names.
    """
    desk = Desk()

    await desk.ratings.give(await answered(desk))

    kept = desk.records.ratings["a1"]
    assert (kept.session_id, kept.usefulness, kept.used_question, kept.reason) == ("s1", 4, True, "fine")


async def test_what_a_visitor_says_of_an_answer_is_masked():
    """
    A reason may hold personal data as well as a question may.
    """
    desk = Desk()

    await desk.ratings.give(replace(await answered(desk), reason="write to ana@mail.example"))

    assert desk.records.ratings["a1"].reason == "write to [redacted email]"


async def test_a_name_that_was_given_before_is_masked_in_the_reason():
    """
    Who introduced himself in a message and only repeats the name here is not known by it; the messages
    that told the name are kept nowhere.
    """
    desk = Desk()
    questions = ("Hello, my name is Zebulon Quartermaine.", "How fast are you?")

    await desk.ratings.give(replace(await answered(desk), reason="Zebulon wants a date", questions=questions))

    kept = desk.records.ratings["a1"]
    assert kept.reason == "[redacted name] wants a date"
    assert "Zebulon" not in repr(kept)


@pytest.mark.parametrize(
    "change", [{"receipt": "receipt.2.x.y"}, {"receipt": ""}, {"answer_id": AnswerId("a2")}]
)
async def test_only_what_we_said_can_be_rated(change):
    """
    A receipt that does not hold, or is another answer's, proves nothing.
    """
    desk = Desk()
    given = replace(await answered(desk), **change)

    with pytest.raises(BadQuestion) as refused:
        await desk.ratings.give(given)

    assert (refused.value.status, refused.value.code) == (403, "bad_receipt")
    assert desk.records.ratings == {}


@pytest.mark.parametrize(("session", "usefulness"), [("s1", 1), ("s2", 4), ("", 4)])
async def test_only_the_session_that_asked_thinks_again(session, usefulness):
    """
    With its ticket a session replaces its rating; anybody else is told that it is settled.
    """
    desk = Desk()
    given = await answered(desk)
    await desk.ratings.give(given)
    again = replace(given, usefulness=1, ticket=ticket_of(desk, session) if session else "")

    if session == "s1":
        await desk.ratings.give(again)
    else:
        with pytest.raises(BadQuestion, match="rated already"):
            await desk.ratings.give(again)

    assert desk.records.ratings["a1"].usefulness == usefulness


async def test_an_old_ticket_will_do():
    """
    A visitor may change a rating long after the ticket could be asked with.
    """
    times = [NOW]
    desk = Desk(clock=Clock(now=lambda: times[-1]))
    given = replace(await answered(desk), ticket=ticket_of(desk, "s1"))
    await desk.ratings.give(given)
    times.append(NOW + timedelta(days=5))

    await desk.ratings.give(replace(given, usefulness=2))

    assert desk.records.ratings["a1"].usefulness == 2


async def test_what_is_older_than_the_site_keeps_is_not_rated():
    """
    After the retention nothing new is kept of an answer.
    """
    times = [NOW]
    desk = Desk(clock=Clock(now=lambda: times[-1]))
    given = await answered(desk)
    times.append(NOW + timedelta(days=31))

    with pytest.raises(BadQuestion, match="too old"):
        await desk.ratings.give(given)


async def test_a_site_that_records_nothing_takes_no_ratings():
    """
    `record: none` means none.
    """
    desk = Desk(site=site(privacy=site().privacy.model_copy(update={"record": "none"})))

    with pytest.raises(BadQuestion) as refused:
        await desk.ratings.give(await answered(desk))

    assert refused.value.status == 404
    assert not desk.ratings.are_taken


async def test_an_owners_own_question_is_not_rated():
    """
    An answer without a session was given on a command line.
    """
    desk = Desk()

    with pytest.raises(BadQuestion, match="does not prove"):
        await desk.ratings.give(await answered(desk, session_id=""))


async def test_a_rating_that_can_t_be_kept_is_said_to_be_lost():
    """
    Other than a record, a rating is an act of the visitor's, who must know.
    """
    desk = Desk(records=FakeRecords(error=DatabaseUnavailable("down")))

    with pytest.raises(DatabaseUnavailable):
        await desk.ratings.give(await answered(desk))


# --- The body ---------------------------------------------------------------------------------

WHOLE = '"answer_id": "a1", "receipt": "r"'


@pytest.mark.parametrize(
    ("more", "used"),
    [
        ('"usefulness": 5, "used": true', True),
        ('"usefulness": 1, "used_question": false', False),
        ('"usefulness": 3, "used": null', None),
        ('"usefulness": 3, "later": "field"', None),
    ],
)
def test_bodies_that_are_taken(more, used):
    """
    Whether it helped may be left unsaid; fields of later clients are passed over.
    """
    assert parsed_rating(f"{{{WHOLE}, {more}}}".encode()).used_question is used


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (f'{{{WHOLE}, "usefulness": 0}}', 422),
        (f'{{{WHOLE}, "usefulness": 6}}', 422),
        (f'{{{WHOLE}, "usefulness": "5"}}', 422),
        (f'{{{WHOLE}, "usefulness": 4.5}}', 422),
        (f'{{{WHOLE}, "usefulness": true}}', 422),
        (f"{{{WHOLE}}}", 422),
        (f'{{{WHOLE}, "usefulness": 5, "used": "yes"}}', 422),
        (f'{{{WHOLE}, "usefulness": 5, "reason": "{"x" * 1001}"}}', 422),
        (f'{{{WHOLE}, "usefulness": 5, "usefulness": 1}}', 400),
        ('{"answer_id": "", "receipt": "r", "usefulness": 5}', 422),
        ('{"usefulness": 5}', 422),
        ("[]", 422),
        ("", 400),
        ("{", 400),
    ],
)
def test_bodies_that_are_refused(body, status):
    """
    Each with the status that says why, and the field where there is one.
    """
    with pytest.raises(BadQuestion) as refused:
        parsed_rating(body.encode())

    assert refused.value.status == status


def test_a_reason_is_one_line_of_plain_words():
    """
    Control characters and line ends become single spaces.
    """
    body = f'{{{WHOLE}, "usefulness": 5, "reason": " a\\u0000b\\n\\n c "}}'

    assert parsed_rating(body.encode()).reason == "a b c"
