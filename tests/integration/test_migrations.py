"""Migrations on a real Postgres: once each, in order, safe at any time."""

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from magpie.adapters.postgres import Database, PostgresVersions, migrate_database
from magpie.adapters.postgres.queries import sql_folder
from magpie.errors import CorpusInvalid, DatabaseUnavailable, SettingsInvalid
from tests.corpora import publish, revision
from tests.integration.conftest import run_on_server, url_of

ROOT = Path(__file__).resolve().parents[2]
MIGRATE = (
    "import asyncio, sys; from magpie.adapters.postgres import migrate_database;"
    " print(len(asyncio.run(migrate_database(sys.argv[1], 384, 512)).applied))"
)


def dimensions(url: str) -> dict[str, int]:
    with psycopg.connect(url) as conn:
        rows = conn.execute(
            "SELECT attname, atttypmod FROM pg_attribute"
            " WHERE attrelid = 'rag_chunks'::regclass AND attname LIKE '%embedding'"
        ).fetchall()
    return dict(rows)


async def test_each_file_is_applied_once(empty_database_url: str) -> None:
    """
    A second run finds nothing to do and changes nothing.
    """
    first = await migrate_database(empty_database_url, 384, 512)
    second = await migrate_database(empty_database_url, 384, 512)

    assert list(first.applied) == sorted(file.name for file in (sql_folder() / "migrations").glob("*.sql"))
    assert second.applied == ()
    assert second.dimensions == {}


def test_processes_that_start_together_do_no_harm(empty_database_url: str, database_server_url: str) -> None:
    """
    Four processes migrate two fresh databases at once, two each: every file is applied once in each.
    """
    other = "magpie_test_beside"
    run_on_server(database_server_url, f"DROP DATABASE IF EXISTS {other} WITH (FORCE)")
    run_on_server(database_server_url, f"CREATE DATABASE {other}")
    urls = [empty_database_url, url_of(database_server_url, other)]
    runs = [
        subprocess.Popen([sys.executable, "-c", MIGRATE, url], stdout=subprocess.PIPE, cwd=ROOT, env=_path())
        for url in urls * 2
    ]
    said = [int(run.communicate(timeout=180)[0]) for run in runs]
    run_on_server(database_server_url, f"DROP DATABASE {other} WITH (FORCE)")
    files = len(list((sql_folder() / "migrations").glob("*.sql")))

    assert [run.returncode for run in runs] == [0] * 4
    assert sorted((said[0] + said[2], said[1] + said[3])) == [files, files]


def _path(code: Path = ROOT / "layers" / "magpie") -> dict[str, str]:
    return {"PYTHONPATH": str(code), "PATH": "/usr/bin:/bin"}


def migrate_with(code: Path, url: str) -> "subprocess.CompletedProcess[str]":
    """A process that runs the code of this folder."""
    command = [sys.executable, "-c", MIGRATE, url]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, env=_path(code), check=False)


async def test_a_changed_file_is_refused(empty_database_url: str, tmp_path: Path) -> None:
    """
    A file that was changed after it was applied is named, and nothing is done. Proven with a copy
    of the code beside a copy of its SQL.
    """
    shutil.copytree(sql_folder(), tmp_path / "sql")
    shutil.copytree(ROOT / "layers" / "magpie" / "magpie", tmp_path / "magpie")
    await migrate_database(empty_database_url, 384, 512)
    changed = tmp_path / "sql" / "migrations" / "0001_pre_corpus.sql"
    changed.write_text(changed.read_text(encoding="utf-8") + "\n-- changed", encoding="utf-8")

    run = await asyncio.to_thread(migrate_with, tmp_path, empty_database_url)

    assert run.returncode != 0
    assert "SettingsInvalid: 0001_pre_corpus.sql was changed" in run.stderr


async def test_a_failed_migration_leaves_nothing_half_done(empty_database_url: str, tmp_path: Path) -> None:
    """
    All files of a run are one transaction: a broken last one takes the first ones back.
    """
    shutil.copytree(sql_folder(), tmp_path / "sql")
    shutil.copytree(ROOT / "layers" / "magpie" / "magpie", tmp_path / "magpie")
    (tmp_path / "sql" / "migrations" / "9999_pre_broken.sql").write_text(
        "CREATE TABLE half (id int); SELEKT 1;"
    )

    run = await asyncio.to_thread(migrate_with, tmp_path, empty_database_url)
    with psycopg.connect(empty_database_url) as conn:
        tables = conn.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()

    assert run.returncode != 0
    assert tables == (0,)


async def test_older_code_does_not_touch_a_newer_database(empty_database_url: str) -> None:
    """
    A database that knows a migration which the code does not is left alone.
    """
    await migrate_database(empty_database_url, 384, 512)
    with psycopg.connect(empty_database_url) as conn:
        conn.execute("INSERT INTO magpie_migrations (name, checksum) VALUES ('9999_pre_later.sql', '')")

    with pytest.raises(SettingsInvalid, match="9999_pre_later"):
        await migrate_database(empty_database_url, 384, 512)


async def test_dimensions_follow_the_models_until_there_are_vectors(empty_database_url: str) -> None:
    """
    An empty index takes the new model's dimension; one with vectors refuses and says what to do.
    """
    await migrate_database(empty_database_url, 768, None)
    before = dimensions(empty_database_url)
    await migrate_database(empty_database_url, 384, 512)
    after = dimensions(empty_database_url)
    async with Database(empty_database_url) as database:
        await publish(database, [revision("a", "words")])

    with pytest.raises(CorpusInvalid, match="magpie reindex"):
        await migrate_database(empty_database_url, 768, 512)
    assert before == {"embedding": 768, "fallback_embedding": -1}
    assert after == dimensions(empty_database_url) == {"embedding": 384, "fallback_embedding": 512}


async def test_a_first_publish_builds_the_indexes(database: Database, database_url: str) -> None:
    """
    The large indexes are made after the first load and are there for every search that follows.
    """

    def indexes() -> set[str]:
        with psycopg.connect(database_url) as conn:
            rows = conn.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'rag_chunks'").fetchall()
        return {name for (name,) in rows}

    large = {"rag_chunks_words", "rag_chunks_embedding_hnsw", "rag_chunks_fallback_embedding_hnsw"}
    before = indexes()

    await publish(database, [revision("a", "words")])

    assert not before & large
    assert large <= indexes()


async def test_a_database_without_schema_says_what_to_do(empty_database_url: str) -> None:
    """
    Before the first migration every call says that it is missing.
    """
    async with Database(empty_database_url, connect_timeout_s=5) as database:
        with pytest.raises(SettingsInvalid, match="magpie migrate"):
            await PostgresVersions(database).active()


async def test_an_unreachable_database_is_unavailable() -> None:
    """
    Nobody listens: the error is ours and keeps its cause.
    """
    async with Database("postgresql://nobody@127.0.0.1:9/none", connect_timeout_s=2) as database:
        with pytest.raises(DatabaseUnavailable) as caught:
            await asyncio.wait_for(PostgresVersions(database).active(), 30)

    assert caught.value.__cause__ is not None
