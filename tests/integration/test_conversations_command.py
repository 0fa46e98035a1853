"""The commands over what is kept of visitors, on a real database."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner, Result

from cli.main import app
from magpie.adapters.postgres import Database, PostgresRecords
from magpie.asking.recording import Recorder
from magpie.asking.trail import Clock
from magpie.model import AnswerId, Rating
from tests.corpora import digest, publish, revision
from tests.fakes import FakeCatalogue, FakeRouter, passage
from tests.unit.asking_site import KEY, SITE, Desk, done, said, site

WORDS = "We answer within one working day."


@pytest.fixture
def magpie(database_url: str, tmp_path) -> Any:
    """Runs a command on the site whose database this is."""
    (tmp_path / "site.yaml").write_text(SITE, encoding="utf-8")
    env = {"DATABASE_URL": database_url, "MAGPIE_SIGNING_KEY": KEY, "COLUMNS": "80"}

    def run(*arguments: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(
            app, [*arguments, "--site", str(tmp_path / "site.yaml")], input=stdin, env=env
        )

    return run


@pytest.fixture
def asked(database_url: str) -> list[Any]:
    """The parts of an answer that was given to session `s1` from a published page, and rated."""

    async def work() -> list[Any]:
        async with Database(database_url) as database:
            version = await publish(database, [revision("contact", WORDS)])
            records = PostgresRecords(database)
            desk = Desk(
                recorder=Recorder(site(), records, Clock()),
                catalogue=FakeCatalogue(version=version),
                router=FakeRouter(default=(replace(passage(WORDS), content_hash=digest(WORDS)),)),
            )
            parts = await desk.ask("How fast are you? ana@mail.example", session_id="s1")
            rating = Rating(
                answer_id=AnswerId("a1"), session_id="s1", usefulness=5, used_question=True,
                reason="quick", given_at=datetime.now(UTC),
            )  # fmt: skip
            await records.rate(rating, may_replace=False)
            return parts

    return asyncio.run(work())


def test_conversations_are_listed_and_shown(magpie, asked) -> None:
    """
    The list names session and question; one of them shows answer, evidence and rating; nothing is wider than 80.
    """
    listed = magpie("conversations")
    shown = magpie("conversations", "s1")

    assert (listed.exit_code, shown.exit_code) == (0, 0)
    assert "s1" in listed.stdout
    assert "How fast are you?" in listed.stdout
    assert max(map(len, listed.stdout.splitlines())) <= 80
    for words in ("How fast are you? [redacted email]", WORDS, "*[1] Contact", "rated 5 of 5, helped: quick"):
        assert words in shown.stdout


def test_an_export_is_all_that_is_kept(magpie, asked) -> None:
    """
    By session, by answer and by ticket the same JSON: words, evidence with its text, rating.
    """
    desk = Desk()
    ticket = desk.tickets.admit("", origin="", now=desk.clock.now())
    sealed = desk.tickets.seal(replace(ticket, session_id="s1"))

    printed = [magpie("export", name) for name in ("s1", "a1", sealed)]

    assert [one.exit_code for one in printed] == [0, 0, 0]
    assert printed[0].stdout == printed[1].stdout == printed[2].stdout
    whole = json.loads(printed[0].stdout)
    (message,) = whole["messages"]
    assert message["question"] == "How fast are you? [redacted email]"
    assert (message["outcome"], message["answer"], message["routes"]) == ("answered", WORDS, ["semantic"])
    assert message["evidence"][0]["used"]
    assert whole["ratings"][0]["reason"] == "quick"


def test_forgetting_leaves_nothing_and_says_so(magpie, asked, database_url: str) -> None:
    """
    By the id of one of its answers a session goes, with its rating; the second time there is nothing.
    """
    first = magpie("forget", "a1")
    second = magpie("forget", "a1")

    assert (first.exit_code, first.stdout.strip()) == (0, "Gone: 1 sessions, 1 messages, 1 ratings.")
    assert (second.exit_code, second.stdout.strip()) == (1, "Nothing is kept of it.")
    with psycopg.connect(database_url) as conn:
        for table in ("chat_sessions", "chat_messages", "message_evidence", "feedback"):
            assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_what_is_too_old_goes_on_request(magpie, asked, database_url: str) -> None:
    """
    `--expired` removes what is older than the site keeps it, and only that.
    """
    young = magpie("forget", "--expired", "--json")
    old = datetime.now(UTC) - timedelta(days=31)
    with psycopg.connect(database_url) as conn:
        conn.execute("UPDATE chat_messages SET asked_at = %s", (old,))
        conn.execute("UPDATE chat_sessions SET last_at = %s", (old,))
    shown = magpie("conversations", "--json")
    expired = magpie("forget", "--expired", "--json")

    assert sum(json.loads(young.stdout)["forgotten"].values()) == 0
    assert json.loads(shown.stdout)["conversations"] == []
    assert json.loads(expired.stdout)["forgotten"] == {"sessions": 1, "messages": 1, "ratings": 0, "asks": 0}


@pytest.mark.parametrize(
    "arguments",
    [("forget",), ("forget", "s1", "--expired"), ("export", "nobody"), ("conversations", "nobody"),
     ("receipt", "verify"), ("receipt", "verify", "nowhere.txt"), ("receipt", "verify", "--answer", "nobody")],
)  # fmt: skip
def test_what_is_not_clear_is_asked_back(magpie, arguments) -> None:
    """
    A sentence that says what to name, and exit code 1.
    """
    told = magpie(*arguments)

    assert told.exit_code == 1
    assert told.stderr.startswith("magpie: ")


def test_a_receipt_is_verified_however_it_comes(magpie, asked, tmp_path) -> None:
    """
    Alone, with its text, in an export, by a recorded answer's id: it holds, and its evidence stands.
    """
    receipt, text = done(asked).receipt, said(asked)
    alone = tmp_path / "receipt.txt"
    alone.write_text(receipt + "\n", encoding="ascii")
    answer = json.dumps({"answer_id": "a1", "text": text, "receipt": receipt})
    exported = magpie("export", "s1").stdout

    told = [
        magpie("receipt", "verify", str(alone), "--json"),
        magpie("receipt", "verify", "-", "--json", stdin=answer),
        magpie("receipt", "verify", "-", "--json", stdin=exported),
        magpie("receipt", "verify", "--answer", "a1", "--json"),
    ]

    assert [one.exit_code for one in told] == [0] * 4
    checks = [json.loads(one.stdout) for one in told]
    assert [(one["signature"], one["text"], one["evidence"]) for one in checks] == [
        (True, None, True), (True, True, True), (True, True, True), (True, True, True)
    ]  # fmt: skip


def test_an_altered_file_fails(magpie, asked) -> None:
    """
    A changed word, a cut receipt, a broken file: exit code 1, with what does not hold.
    """
    receipt, text = done(asked).receipt, said(asked)
    altered = json.dumps({"text": text.replace("one", "two"), "receipt": receipt})

    told = [
        magpie("receipt", "verify", "-", stdin=words) for words in (altered, receipt[:-1], "{" + altered, "")
    ]

    assert [one.exit_code for one in told] == [1] * 4
    assert "does not hold" in told[0].stdout
    assert "changed on its way" in told[1].stdout
    assert "changed on its way" in told[2].stderr
