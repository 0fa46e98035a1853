"""Streams and databases that fail on the way: nothing leaks, everybody gets an answer or is told."""

import asyncio
import contextlib
import gc
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import psutil
import psycopg
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from functions.chat.answering import Answering, Keeper, Said
from functions.chat.app import create_app
from infra.local import postgres
from infra.local.account import database_account, give, let_through, running_as
from infra.local.stack import ensure_database
from magpie.adapters.postgres import Database, PostgresCatalogue, PostgresPassages, migrate_database
from magpie.asking.routes import SiteRouter
from magpie.asking.trail import Clock
from magpie.settings import Settings
from tests.corpora import WordsEmbedder, publish, revision
from tests.fakes import FakeWriter
from tests.integration.conftest import run_on_server
from tests.loopback.ports import free_port
from tests.loopback.serving import served
from tests.unit.asking_site import Desk, site

SETTINGS = Settings(database_url="unused")
ANSWER = "We answer within one working day."
ASK = {"messages": [{"role": "user", "content": "How fast do you answer?"}]}
STREAMS = 1000
AT_ONCE = 20


async def fill(url: str) -> None:
    """One page, published."""
    async with Database(url) as database:
        await publish(database, [revision("contact", ANSWER, title="Contact")])


@dataclass
class Whole:
    """The application on a real database, with its loop in reach; it closes what it opened."""

    url: str
    size: int = 4
    connect_timeout_s: int = 30
    writer: FakeWriter = field(default_factory=lambda: FakeWriter(pieces=(f"{ANSWER} [1]",)))
    loop: Any = None
    desk: Any = None
    app: Any = None

    def __post_init__(self) -> None:
        self.database = Database(self.url, size=self.size, connect_timeout_s=self.connect_timeout_s)
        catalogue, clock = PostgresCatalogue(self.database), Clock()
        router = SiteRouter(site(), catalogue, PostgresPassages(self.database), WordsEmbedder(), None, clock)
        self.desk = Desk(catalogue=catalogue, router=router, writer=self.writer, clock=clock)
        self.app: ASGIApp = create_app(self.desk, SETTINGS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return
        self.loop = asyncio.get_running_loop()
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.database.close()
        await send({"type": "lifespan.shutdown.complete"})

    def tasks(self) -> int:
        return len(asyncio.all_tasks(self.loop))


@asynccontextmanager
async def whole(url: str, **options: Any) -> AsyncIterator[tuple[Whole, httpx.AsyncClient]]:
    made = Whole(url, **options)
    with served(made) as base:
        async with httpx.AsyncClient(base_url=base, timeout=60) as client:
            yield made, client


async def asked(client: httpx.AsyncClient) -> tuple[int, str]:
    response = await client.post("/chat", json=ASK)
    return response.status_code, response.text


async def asked_until(client: httpx.AsyncClient, words: str, is_told: asyncio.Event) -> tuple[int, str]:
    """As `asked`; `is_told` is set as soon as the words came."""
    lines = []
    async with client.stream("POST", "/chat", json=ASK) as response:
        async for line in response.aiter_lines():
            lines.append(line)
            if words in line:
                is_told.set()
    return response.status_code, "\n".join(lines)


def is_answered(found: tuple[int, str]) -> bool:
    return found[0] == 200 and ANSWER in found[1] and '"event":"done"' in found[1]


# --- A thousand streams -----------------------------------------------------------------------


async def one_stream(base: httpx.URL, number: int) -> None:
    """Most are read to their end; some are cut, some come with a key, some are told to stop."""
    body = {**ASK, "idempotency_key": str(uuid4())} if number % 5 == 0 else ASK
    async with sent(base, "/chat", body) as reader:
        async for line in reader:
            if number % 3 == 0 and b'"searching"' in line:
                return
            if number % 7 == 0 and b'"start"' in line:
                answer_id = line.split(b'"answer_id":"')[1].split(b'"')[0].decode()
                async with sent(base, "/stop", {"answer_id": answer_id}) as stopping:
                    await stopping.read()


@asynccontextmanager
async def sent(base: httpx.URL, path: str, body: Any) -> AsyncIterator[asyncio.StreamReader]:
    """A request over a connection of its own, which is cut on the way out: httpx takes longer than what is tried."""
    raw = json.dumps(body).encode()
    reader, writer = await asyncio.open_connection(base.host, base.port)
    try:
        writer.write(
            f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(raw)}\r\n\r\n".encode()
            + raw
        )
        assert (await reader.readline()).split()[1] in {b"200", b"204"}
        yield reader
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def many_streams(base: httpx.URL, count: int) -> None:
    places = asyncio.Semaphore(AT_ONCE)

    async def placed(number: int) -> None:
        async with places:
            await one_stream(base, number)

    await asyncio.gather(*(placed(number) for number in range(count)))


async def settled(made: Whole, most: int) -> int:
    """The server's tasks, once those of connections that were just closed have ended."""
    for _ in range(1000):  # most of a minute, on a machine that does much else
        if made.tasks() <= most:
            break
        await asyncio.sleep(0.05)
    return made.tasks()


def alive(*kinds: type) -> int:
    gc.collect()
    return sum(isinstance(one, kinds) for one in gc.get_objects())


async def test_a_thousand_streams_leave_nothing(database_url):
    """
    After a thousand streams, cut, kept, stopped and read, no task, connection, file or object is left.
    """
    await fill(database_url)
    quick = FakeWriter(
        name="extractive", pieces=(f"{ANSWER} [1]",)
    )  # nothing to be judged: streams are what is tried
    async with whole(database_url, writer=quick) as (made, client):
        base = client.base_url
        await many_streams(base, 100)
        before = await settled(made, 3)
        process = psutil.Process()
        files, memory = process.num_fds(), process.memory_info().rss

        await many_streams(base, STREAMS)

        after = await settled(made, before)
        made.desk.asks.batches.clear()
        with psycopg.connect(database_url) as conn:
            (connections,) = conn.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ).fetchone()
        assert after <= before
        assert alive(Answering, Said, Keeper) == 0
        assert process.num_fds() <= files + 2
        assert connections <= made.size
        assert made.writer.closed == len(made.writer.tasks)
        assert process.memory_info().rss - memory < 30 * 2**20


async def test_a_reader_who_stands_still_holds_no_model(database_url):
    """
    Who stops reading in the middle of a long answer holds the writer no longer than it takes to write.
    """
    await fill(database_url)
    pieces = tuple(f"{ANSWER} [1] " for _ in range(400))
    async with whole(database_url, writer=FakeWriter(pieces=pieces)) as (made, client):
        with socket.create_connection((client.base_url.host, client.base_url.port)) as still:
            still.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            raw = str(ASK).replace("'", '"').encode()
            still.sendall(
                b"POST /chat HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n" % len(raw) + raw
            )
            for _ in range(500):  # less than the time after which a reader who stands still is left
                if made.writer.closed:
                    break
                await asyncio.sleep(0.05)
            closed = made.writer.closed
            other = await asked(client)

    assert closed == 1
    assert other[0] == 200


# --- A database that fails --------------------------------------------------------------------


async def test_a_connection_that_died_is_replaced(database_url, database_server_url):
    """
    After the database dropped all connections, the next visitors notice nothing.
    """
    await fill(database_url)
    name = urlsplit(database_url).path.lstrip("/")
    async with whole(database_url) as (_, client):
        before = await asked(client)
        run_on_server(
            database_server_url,
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
        )
        after = [await asked(client) for _ in range(5)]

    assert is_answered(before)
    assert all(map(is_answered, after))


@pytest.fixture
def own_server() -> Iterator[Callable[[], postgres.Server]]:
    """Starts, and starts again, a server that no other test uses."""
    with tempfile.TemporaryDirectory(prefix="magpie-test-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "state"
        home.mkdir()
        let_through(home / "x", database_account())
        yield lambda: postgres.start(home)
        server = postgres.running_server(home)
        if server is not None:
            postgres.stop(server)


async def test_a_database_that_restarts_or_pauses(own_server):
    """
    While it is down, the visitor is told when to come back; once it is up, answers. While it is paused,
    he is told that it wakes up, and then gets his answer in the same stream.
    """
    server = own_server()
    url = ensure_database(server, "restarting")
    await migrate_database(url, 384, 512)
    await fill(url)
    async with whole(url, connect_timeout_s=5) as (_, client):
        before = await asked(client)
        postgres.stop(server)
        down = await asked(client)
        server = own_server()
        again = await asked(client)
    async with whole(url) as (_, client):
        os.kill(server.pid, signal.SIGSTOP)
        try:
            is_told = asyncio.Event()
            waiting = asyncio.create_task(asked_until(client, '"state":"waking"', is_told))
            await asyncio.wait_for(is_told.wait(), 60)
        finally:
            os.kill(server.pid, signal.SIGCONT)
        woken = await waiting

    assert is_answered(before)
    assert '"code":"database_unavailable"' in down[1]
    assert "retry_after_s" in down[1]
    assert is_answered(again)
    assert is_answered(woken)
    assert '"state":"waking"' in woken[1]


async def test_a_database_without_a_connection_left(database_url, database_server_url):
    """
    503 and when to come back, and answers again as soon as there is one.
    """
    await fill(database_url)
    run_on_server(database_server_url, "DROP ROLE IF EXISTS crowded")
    run_on_server(database_server_url, "CREATE ROLE crowded LOGIN CONNECTION LIMIT 0 IN ROLE magpie_reader")
    try:
        separator = "&" if "?" in database_url else "?"
        async with whole(f"{database_url}{separator}user=crowded", connect_timeout_s=6) as (_, client):
            crowded = await client.post("/chat", json=ASK)
            run_on_server(database_server_url, "ALTER ROLE crowded CONNECTION LIMIT 4")
            found = await asyncio.gather(*(asked(client) for _ in range(12)))
    finally:
        run_on_server(database_server_url, "DROP ROLE crowded")

    assert (crowded.status_code, crowded.json()["code"]) == (503, "database_unavailable")
    assert all(map(is_answered, found))


# --- A pooler ---------------------------------------------------------------------------------

PGBOUNCER = """
[databases]
* = host={host} user={user}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
"""


@pytest.fixture
def pooled_url(database_url: str) -> Iterator[str]:
    """The database behind a pgbouncer in transaction mode, with two connections for everybody."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("no pgbouncer on this machine, so a pooler in transaction mode is not proven")
    if (host := _host(database_url)) is None:
        pytest.skip("the test database is no embedded one, so no pgbouncer is put before it")
    account, port = database_account(), free_port()
    with tempfile.TemporaryDirectory(prefix="magpie-test-") as folder:
        file = Path(folder) / "pgbouncer.ini"
        with psycopg.connect(database_url) as conn:
            user = conn.info.user
        file.write_text(PGBOUNCER.format(host=host, user=user, port=port))
        give(Path(folder), account)
        process = subprocess.Popen(
            [program, "-q", str(file)], stderr=subprocess.DEVNULL, **running_as(account)
        )
        try:
            name = urlsplit(database_url).path.lstrip("/")
            url = f"postgresql://{user}@127.0.0.1:{port}/{name}"
            _wait_for(url)
            yield url
        finally:
            process.terminate()
            process.wait()


def _host(url: str) -> str | None:
    """The folder of the server's socket."""
    found = parse_qs(urlsplit(url).query).get("host", [""])[0]
    return found if found.startswith("/") else None


def _wait_for(url: str) -> None:
    for _ in range(600):
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(url, connect_timeout=2):
            return
        time.sleep(0.05)
    raise RuntimeError("pgbouncer did not start")


async def test_a_pooler_in_transaction_mode(pooled_url):
    """
    Published and asked through it: two connections of the server serve forty questions at once from eight of ours.
    """
    await fill(pooled_url)

    async with whole(pooled_url, size=8) as (_, client):
        found = await asyncio.gather(*(asked(client) for _ in range(40)))

    assert all(map(is_answered, found))
