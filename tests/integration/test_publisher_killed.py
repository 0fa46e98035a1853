"""A publisher that is killed, with real processes: what readers see, and who cleans up."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from magpie.adapters.postgres import Database, PostgresCatalogue, PostgresPassages, PostgresVersions
from magpie.errors import DatabaseUnavailable, DeadlineExceeded
from magpie.model import SourceKey, Viewer
from tests.corpora import FALLBACK, PRIMARY, publish, revision

ROOT = Path(__file__).resolve().parents[2]

# Stages a draft, tells how far it is, and waits to be killed at the named step.
PUBLISHER = """
import asyncio, sys
from magpie.adapters.postgres import Database, PostgresVersions
from tests.corpora import FALLBACK, PRIMARY, revision

async def main(url, parent, stop):
    async with Database(url) as database:
        async with PostgresVersions(database).draft(
            parent=parent, primary=PRIMARY, fallback=FALLBACK, site_text=""
        ) as draft:
            if stop == "begun":
                return await wait(stop)
            await draft.add([revision("a", "half done"), revision("z", "more")])
            if stop == "staged":
                return await wait(stop)
            await draft.seal()
            return await wait(stop)

async def wait(stop):
    print(stop, flush=True)
    await asyncio.sleep(60)

asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
"""


def start(url: str, parent: int, stop: str) -> "subprocess.Popen[str]":
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'layers' / 'magpie'}"}
    command = [sys.executable, "-c", PUBLISHER, url, str(parent), stop]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env)


def rows(url: str) -> tuple[int, int]:
    """Versions and revisions that are stored."""
    with psycopg.connect(url) as conn:
        row = conn.execute(
            "SELECT (SELECT count(*) FROM corpus_versions), (SELECT count(*) FROM rag_sources)"
        ).fetchone()
    assert row is not None
    return row


@pytest.mark.parametrize("stop", ["begun", "staged", "sealed"])
async def test_a_killed_publisher_harms_nobody(database: Database, database_url: str, stop: str) -> None:
    """
    Killed in the middle of its work, a run leaves the active version as it was; the next run
    takes its remains away, which a run that lives would keep.
    """
    base = await publish(database, [revision("a", "whole")])
    run = start(database_url, base.id, stop)
    assert run.stdout is not None
    assert run.stdout.readline().strip() == stop
    staged = rows(database_url)
    kept_while_alive = await PostgresVersions(database).remove_orphans()

    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=120)
    found = await PostgresPassages(database).of_sources(
        [SourceKey(source_type="page", source_key="a")], version=base.id, viewer=Viewer()
    )
    taken = await _eventually_removed(database)

    assert kept_while_alive == 0
    assert staged == (2, 1 if stop == "begun" else 3)
    assert [passage.content for passage in found] == ["whole"]
    assert await PostgresCatalogue(database).active_version() == base
    assert taken == 1
    assert rows(database_url) == (1, 1)


async def _eventually_removed(database: Database) -> int:
    """The server notices a moment after the kill that the connection is gone."""
    for _ in range(600):
        if taken := await PostgresVersions(database).remove_orphans():
            return taken
        await asyncio.sleep(0.1)
    return 0


async def test_a_draft_whose_connections_are_cut_gives_up_whole(
    database: Database, database_url: str
) -> None:
    """
    The server drops every connection in the middle: the run fails with our error, the active
    version stands, and the pool works again for whoever comes next.
    """
    base = await publish(database, [revision("a", "whole")])

    async def cut_off() -> None:
        async with PostgresVersions(database).draft(
            parent=base.id, primary=PRIMARY, fallback=FALLBACK, site_text=""
        ) as draft:
            await draft.add([revision("a", "half")])
            with psycopg.connect(database_url, autocommit=True) as conn:
                conn.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            await draft.activate(expected_sources=1, expected_chunks=1)

    with pytest.raises(DatabaseUnavailable):
        await cut_off()
    active = await PostgresCatalogue(database).active_version()
    again = await publish(database, [revision("a", "done")])

    assert active == base
    assert again.parent_id == base.id
    assert rows(database_url) == (2, 2)


async def test_a_read_survives_a_connection_that_died_in_the_pool(
    database: Database, database_url: str
) -> None:
    """
    A Lambda that slept wakes with dead connections; its first question is answered all the same.
    """
    base = await publish(database, [revision("a", "whole")])
    await PostgresCatalogue(database).active_version()
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    assert await PostgresCatalogue(database).active_version() == base


async def test_a_search_ends_at_its_deadline(database_url: str) -> None:
    """
    A statement that takes too long is ended by the server, and the error says so.
    """
    async with Database(database_url, search_timeout_s=0.2) as database:
        with psycopg.connect(database_url) as conn:
            conn.execute("LOCK TABLE corpus_active")
            with pytest.raises(DeadlineExceeded):
                await PostgresCatalogue(database).active_version()
