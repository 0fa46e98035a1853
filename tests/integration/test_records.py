"""Conversations on a real Postgres: who may see them, how long they stay, and that they go without a trace."""

import logging
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from functions.forget.handler import expired, handler
from magpie.adapters.postgres import Database, PostgresConversations, PostgresRecords
from magpie.asking.recording import Recorder
from magpie.asking.trail import Clock
from magpie.errors import DatabaseUnavailable
from magpie.model import (
    AnswerId,
    ChunkId,
    EvidenceUse,
    Forgotten,
    Rating,
    Recorded,
    SourceKey,
    Usage,
    VersionId,
)
from magpie.settings import Keys, Settings
from tests.corpora import publish, revision
from tests.fakes import FakeWriter
from tests.unit.asking_site import Desk, done, site

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
TABLES = ("chat_sessions", "chat_messages", "message_evidence", "feedback")
CANARY = "quokkaberry"

USE = EvidenceUse(
    number=1,
    chunk_id=ChunkId(4),
    key=SourceKey(source_type="page", source_key="contact"),
    title="Contact",
    url=None,
    content_hash="hash-1",
    route="links",
    score=0.5,
    used=True,
)
MESSAGE = Recorded(
    answer_id=AnswerId("a1"),
    session_id="s1",
    asked_at=NOW,
    question=f"Do you sell {CANARY} jam?",
    answer=f"We say nothing about {CANARY}.",
    masked=True,
    outcome="answered",
    version_id=VersionId(7),
    model="extractive",
    language="en",
    page="/a/",
    role="guest",
    intent="rag_question",
    routes=("links",),
    band="full",
    usage=Usage(calls=2, input_tokens=10, output_tokens=5, embedding_tokens=3, cost_usd=0.25),
    timings_ms={"total": 12.5},
    verdicts={"released": 2},
    counts={"held": 1},
    safety="external_redacted",
    confidence=0.75,
    prompt_hash="p",
    policy_hash="s",
    receipt="receipt",
    evidence=(USE, replace(USE, number=2, used=False)),
)
RATING = Rating(
    answer_id=AnswerId("a1"),
    session_id="s1",
    usefulness=4,
    used_question=True,
    reason=f"I love {CANARY}",
    given_at=NOW,
)


async def test_what_was_recorded_is_read_back_whole(database: Database) -> None:
    """
    Every field of a message, its evidence and its rating comes back as it was.
    """
    records, conversations = PostgresRecords(database), PostgresConversations(database)
    await records.record(MESSAGE)
    await records.rate(RATING, may_replace=False)

    found = await conversations.conversation("s1", since=LONG_AGO)

    assert found.messages == (MESSAGE,)
    assert found.ratings == (RATING,)
    assert (found.began_at, found.last_at) == (NOW, NOW)


async def test_a_message_is_recorded_once_and_ended_once(database: Database) -> None:
    """
    One that had begun gets its end; afterwards nothing changes it, neither another session nor a second end.
    """
    records, conversations = PostgresRecords(database), PostgresConversations(database)
    await records.record(replace(MESSAGE, outcome="begun", answer="", evidence=()))
    await records.record(MESSAGE)
    await records.record(replace(MESSAGE, outcome="handoff", answer="other"))
    await records.record(replace(MESSAGE, session_id="s2", answer="other"))

    assert (await conversations.conversation("s1", since=LONG_AGO)).messages == (MESSAGE,)


async def test_the_list_shows_the_latest_first(database: Database) -> None:
    """
    Sessions by their last question, with outcomes in order, cost and mean rating; what is too old is not shown.
    """
    records, conversations = PostgresRecords(database), PostgresConversations(database)
    later = NOW + timedelta(minutes=5)
    await records.record(MESSAGE)
    await records.record(
        replace(MESSAGE, answer_id=AnswerId("a2"), asked_at=later, outcome="handoff", question="And?")
    )
    await records.record(
        replace(MESSAGE, answer_id=AnswerId("a3"), session_id="s3", asked_at=later + timedelta(1))
    )
    await records.record(replace(MESSAGE, answer_id=AnswerId("a4"), session_id="old", asked_at=LONG_AGO))
    await records.rate(RATING, may_replace=False)

    rows = await conversations.latest(10, since=NOW)

    assert [(row.session_id, row.questions, row.outcomes) for row in rows] == [
        ("s3", 1, ("answered",)),
        ("s1", 2, ("answered", "handoff")),
    ]
    assert (rows[1].usefulness, rows[1].cost_usd, rows[1].question) == (4.0, 0.5, MESSAGE.question)


# --- Ratings ----------------------------------------------------------------------------------


async def test_an_answer_is_rated_once_but_its_session_may_think_again(database: Database) -> None:
    """
    A second rating is taken from the same session alone.
    """
    records, conversations = PostgresRecords(database), PostgresConversations(database)

    first = await records.rate(RATING, may_replace=False)
    unproven = await records.rate(replace(RATING, usefulness=1), may_replace=False)
    stranger = await records.rate(replace(RATING, session_id="s2", usefulness=1), may_replace=True)
    again = await records.rate(replace(RATING, usefulness=2, used_question=None), may_replace=True)

    assert (first, unproven, stranger, again) == (True, False, False, True)
    (kept,) = (await conversations.conversation("s1", since=LONG_AGO)).ratings
    assert (kept.usefulness, kept.used_question) == (2, None)


# --- Who may see what -------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("role", ["magpie_reader", "magpie_recorder", "magpie_writer", "magpie_owner"])
async def test_only_the_keeper_reads_conversations(
    database: Database, database_url: str, role: str, table: str
) -> None:
    """
    Whoever answers, records or publishes is refused, or finds no row, even as the tables' owner.
    """
    await PostgresRecords(database).record(MESSAGE)
    await PostgresRecords(database).rate(RATING, may_replace=False)

    with psycopg.connect(database_url) as conn:
        conn.execute(f"SET ROLE {role}")
        try:
            found = conn.execute(f"SELECT * FROM {table} AS t").fetchall()
        except psycopg.errors.InsufficientPrivilege:
            found = []

    is_recorders_own = role == "magpie_recorder" and table == "chat_sessions"  # ids and times, no words
    assert bool(found) is is_recorders_own


@pytest.mark.parametrize("column", ["question", "answer", "page", "receipt"])
async def test_the_recorder_can_t_read_words(database: Database, database_url: str, column: str) -> None:
    """
    What was written is out of the reach of whoever wrote it; so is taking it away.
    """
    await PostgresRecords(database).record(MESSAGE)

    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute("SET ROLE magpie_recorder")
        for statement in (f"SELECT {column} FROM chat_messages", "DELETE FROM chat_messages"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(statement)


# --- Trouble ----------------------------------------------------------------------------------


async def test_a_locked_table_keeps_nobody_waiting(database: Database, database_url: str) -> None:
    """
    While the tables are locked answers are given, and what could not be kept is counted.
    """
    patient = Desk(recorder=Recorder(site(), PostgresRecords(database), Clock(), record_s=20))
    await patient.ask("Warm up?", id=AnswerId("a0"), session_id="s1")  # loads the mask, which takes longest
    desk = Desk(recorder=Recorder(site(), PostgresRecords(database), Clock(), record_s=0.2))

    with psycopg.connect(database_url) as conn:
        conn.execute("LOCK TABLE chat_messages")
        parts = await desk.ask("How fast?", session_id="s1")
    again = await desk.ask("And now?", id=AnswerId("a2"), session_id="s1")

    assert done(parts).trace["counts"]["record_failed"] == 1
    assert "record_failed" not in done(again).trace["counts"]
    kept = await PostgresConversations(database).conversation("s1", since=LONG_AGO)
    assert [one.question for one in kept.messages] == ["Warm up?", "And now?"]


async def test_a_database_that_is_gone_is_our_error() -> None:
    """
    An address where nobody answers is told as such.
    """
    async with Database("postgresql://nobody@127.0.0.1:1/none", connect_timeout_s=2) as gone:
        with pytest.raises(DatabaseUnavailable):
            await PostgresRecords(gone).record(MESSAGE)


# --- Going ------------------------------------------------------------------------------------


async def test_what_is_too_old_goes(database: Database) -> None:
    """
    Older messages and ratings are removed, a session once nothing of it is left; and they were not shown before.
    """
    records, conversations = PostgresRecords(database), PostgresConversations(database)
    day = timedelta(days=1)
    await records.record(replace(MESSAGE, answer_id=AnswerId("old"), asked_at=NOW - 31 * day))
    await records.record(MESSAGE)
    await records.record(replace(MESSAGE, answer_id=AnswerId("b"), session_id="s2", asked_at=NOW - 31 * day))
    await records.rate(
        replace(RATING, answer_id=AnswerId("b"), session_id="s2", given_at=NOW - 31 * day), may_replace=False
    )
    since = NOW - 30 * day

    before = await conversations.conversation("s2", since=since)
    gone = await conversations.expire(since=since)

    assert (before.messages, before.ratings) == ((), ())
    assert gone == Forgotten(sessions=1, messages=2, ratings=1)
    assert await conversations.expire(since=since) == Forgotten()
    left = await conversations.conversation("s1", since=LONG_AGO)
    assert [one.answer_id for one in left.messages] == ["a1"]


async def test_a_purged_source_leaves_the_record_too(database: Database) -> None:
    """
    Answers that rest on it repeat its words and go; of those that only saw it, its name goes.
    """
    records, conversations = PostgresRecords(database), PostgresConversations(database)
    other = replace(USE, number=2, key=SourceKey(source_type="page", source_key="home"), title="Home")
    await records.record(MESSAGE)
    saw = replace(MESSAGE, answer_id=AnswerId("a2"), evidence=(replace(USE, used=False), other))
    await records.record(saw)

    gone = await conversations.purge(USE.key)

    left = (await conversations.conversation("s1", since=LONG_AGO)).messages
    assert gone == 1
    assert [(one.answer_id, [use.title for use in one.evidence]) for one in left] == [("a2", ["Home"])]


async def test_a_session_is_found_by_its_answers_too(database: Database) -> None:
    """
    A visitor who has only the reference of an answer names the session by it.
    """
    records, conversations = PostgresRecords(database), PostgresConversations(database)
    await records.record(MESSAGE)
    await records.rate(replace(RATING, answer_id=AnswerId("b1"), session_id="s9"), may_replace=False)

    found = [await conversations.session_of(name) for name in ("s1", "a1", "b1", "s9", "nobody")]

    assert found == ["s1", "s1", "s9", "s9", None]


def everything_in(url: str) -> str:
    """All rows of all tables, the server's own statistics included, as text."""
    with psycopg.connect(url) as conn:
        tables = conn.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'm')"
        ).fetchall()
        rows = [conn.execute(f"SELECT t::text FROM {table} AS t").fetchall() for (table,) in tables]
    return "\n".join(str(row) for found in rows for row in found)


def files_with(folder: Path, words: bytes) -> list[str]:
    """Files below the folder that hold the words, the server's data and logs among them."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and words in path.read_bytes()
    )


async def remembered(database: Database) -> PostgresConversations:
    """A session full of canaries in questions, answers and a rating, and another one without."""
    recorder = Recorder(site(), PostgresRecords(database), Clock())
    words = (f"We answer about {CANARY} within one working day. [1]",)
    desk = Desk(recorder=recorder, writer=FakeWriter(pieces=words))
    for number in range(5):
        await desk.ask(f"Where is {CANARY} {number}?", id=AnswerId(f"a{number}"), session_id="s1")
    await PostgresRecords(database).rate(RATING, may_replace=False)
    await Desk(recorder=recorder).ask("How fast?", id=AnswerId("other"), session_id="s2")
    await database.vacuum(*TABLES)
    return PostgresConversations(database)


async def test_after_forgetting_no_word_stands_in_any_table_or_log(
    database: Database, database_url: str, caplog
) -> None:
    """
    Not in a table, nor in the statistics that the server keeps of it, nor in a line of ours; others stay.
    """
    caplog.set_level(logging.DEBUG)
    conversations = await remembered(database)
    assert CANARY in everything_in(database_url)

    gone = await conversations.forget("s1")

    assert gone == Forgotten(sessions=1, messages=5, ratings=1)
    assert CANARY not in everything_in(database_url)
    assert CANARY not in caplog.text
    assert [row.session_id for row in await conversations.latest(10, since=LONG_AGO)] == ["s2"]
    assert len((await conversations.conversation("s2", since=LONG_AGO)).messages) == 1


@pytest.mark.skipif(
    bool(os.environ.get("MAGPIE_TEST_DATABASE_URL")), reason="the server's files are not on this machine"
)
async def test_after_forgetting_no_word_stands_in_the_servers_files(
    database: Database, database_url: str
) -> None:
    """
    Not in a table's file, nor the write-ahead log, nor the server's own log: a removed row leaves its bytes
    there as a rule.
    """
    conversations = await remembered(database)
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute("CHECKPOINT")
        data = Path(conn.execute("SHOW data_directory").fetchone()[0])
    assert files_with(data, CANARY.encode())

    await conversations.forget("s1")

    assert files_with(data.parent, CANARY.encode()) == []


async def test_forgetting_twice_or_nobody_does_no_harm(database: Database) -> None:
    """
    There is nothing to take away the second time.
    """
    conversations = PostgresConversations(database)

    assert await conversations.forget("nobody") == Forgotten()


# --- The scheduled function -------------------------------------------------------------------

DEPLOYED = """
site: {key: quay, name: Quay Works, url: "https://quay.example"}
persona: {name: Mo}
sources: [{path: "*.md"}]
privacy: {retention_days: 7}
"""


async def test_the_schedule_removes_what_the_active_site_does_not_keep(
    database: Database, database_url: str
) -> None:
    """
    The retention is that of the site file in the active version; without a version nothing is touched.
    """
    settings = Settings(database_url=database_url, keys=Keys(signing="a signing key for tests, long enough"))
    records = PostgresRecords(database)
    await records.record(replace(MESSAGE, answer_id=AnswerId("old"), asked_at=NOW - timedelta(days=8)))
    await records.record(replace(MESSAGE, answer_id=AnswerId("new"), asked_at=NOW - timedelta(days=6)))

    unpublished = await expired(settings, lambda: NOW)
    await publish(database, [revision("home", "Hello.")], site_text=DEPLOYED)
    published = await expired(settings, lambda: NOW)

    left = await PostgresConversations(database).conversation("s1", since=LONG_AGO)
    assert (unpublished, published) == (Forgotten(), Forgotten(messages=1))
    assert [one.answer_id for one in left.messages] == ["new"]


def test_the_schedules_handler_reads_its_settings_from_the_environment(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Called as the scheduler calls it, it answers with counts.
    """
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("MAGPIE_SIGNING_KEY", "a signing key for tests, long enough")

    assert handler({}, None) == {"sessions": 0, "messages": 0, "ratings": 0, "asks": 0}
