"""A migrated database of one's own for each test, cloned from a template in a moment."""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
import pytest_asyncio

from magpie.adapters.postgres import Database, migrate_database

PRIMARY = 384
FALLBACK = 512
# Runs side by side may share a server that was given: each has databases of its own.
RUN = os.environ.get("PYTEST_XDIST_WORKER", "run")
TEMPLATE = f"magpie_test_template_{RUN}"
_numbers = itertools.count(1)


def url_of(server_url: str, database: str) -> str:
    """The same server, another database."""
    return urlunsplit(urlsplit(server_url)._replace(path=f"/{database}"))


def run_on_server(server_url: str, statement: str) -> None:
    """A statement that stands outside of transactions, on the server's own database."""
    with psycopg.connect(server_url, autocommit=True) as conn:
        conn.execute(statement.encode())


@pytest.fixture(scope="session")
def template(database_server_url: str) -> str:
    """The name of a migrated database that nobody is connected to."""
    run_on_server(database_server_url, f"DROP DATABASE IF EXISTS {TEMPLATE}")
    run_on_server(database_server_url, f"CREATE DATABASE {TEMPLATE}")
    asyncio.run(migrate_database(url_of(database_server_url, TEMPLATE), PRIMARY, FALLBACK))
    return TEMPLATE


@pytest.fixture
def empty_database_url(database_server_url: str) -> Iterator[str]:
    """A database in which nothing was ever done."""
    name = f"magpie_test_{RUN}_empty_{next(_numbers)}"
    run_on_server(database_server_url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    run_on_server(database_server_url, f"CREATE DATABASE {name}")
    yield url_of(database_server_url, name)
    run_on_server(database_server_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database_url(database_server_url: str, template: str) -> Iterator[str]:
    """A migrated database, for vectors of 384 and 512 numbers, with nothing in it."""
    name = f"magpie_test_{RUN}_{next(_numbers)}"
    run_on_server(database_server_url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    run_on_server(database_server_url, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield url_of(database_server_url, name)
    run_on_server(database_server_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A migrated database, opened."""
    async with Database(database_url) as opened:
        yield opened
