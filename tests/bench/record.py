"""
What recording an answer costs: the masking of a visitor's words, the one transaction, the receipt.

The same with 0 and with 20,000 messages in the tables, and a bare `INSERT` of the same words beside it,
so that a busy machine shows in both.
"""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from statistics import quantiles

import psycopg

from infra.local.stack import embedded_database, ensure_database
from infra.local.state import open_state
from magpie.adapters.postgres import Database, PostgresConversations, PostgresRecords, migrate_database
from magpie.asking.masking import Mask
from magpie.model import AnswerId, ChunkId, EvidenceUse, Recorded, SourceKey, Usage, VersionId
from tests.bench._command import run
from tests.unit.asking_site import site

TIMES = 300
MANY = 20_000
QUESTION = (
    "Hello, we are a small harbour in the north and need a booking site for berths, in two languages. "
    "What does that cost, how long does it take, and who would work on it? Write to ana@mail.example or "
    "call +351 912 345 678."
)
ANSWER = "A fixed-price fortnight costs £8,900 and ends with something that works. " * 5
USE = EvidenceUse(
    number=1,
    chunk_id=ChunkId(4),
    key=SourceKey(source_type="page", source_key="contact"),
    title="How we price a fortnight",
    url="https://sennit.example/articles/fortnight/",
    content_hash="0" * 64,
    route="semantic",
    score=0.5,
    used=True,
)
MESSAGE = Recorded(
    answer_id=AnswerId("a"),
    session_id="s",
    asked_at=datetime.now(UTC),
    question=QUESTION,
    answer=ANSWER,
    masked=True,
    outcome="answered",
    version_id=VersionId(1),
    model="extractive",
    usage=Usage(),
    receipt="r" * 900,
    evidence=tuple(replace(USE, number=number) for number in range(1, 9)),
)


def spread(times_s: list[float]) -> str:
    """Median and 95th percentile, in milliseconds."""
    parts = quantiles(times_s, n=20)
    return f"{parts[9] * 1000:.2f} ms at the median, {parts[18] * 1000:.2f} ms at the 95th percentile"


async def timed(work: Callable[[int], Awaitable[object]]) -> str:
    """So many calls, one after the other."""
    await work(-1)
    times = []
    for number in range(TIMES):
        began = time.perf_counter()
        await work(number)
        times.append(time.perf_counter() - began)
    return spread(times)


async def measure(url: str) -> None:
    """Prints a line a measurement."""
    await migrate_database(url, 384, 512)
    mask = Mask(site())

    async def masked(_: int) -> None:
        mask.words(QUESTION)
        mask.answer(ANSWER)

    print(
        f"masking a question of {len(QUESTION)} and an answer of {len(ANSWER)} characters: {await timed(masked)}"
    )
    async with Database(url) as database, await psycopg.AsyncConnection.connect(url, autocommit=True) as bare:
        await bare.execute(
            "CREATE TABLE plain (id text PRIMARY KEY, question text, answer text, receipt text)"
        )
        records, stem = PostgresRecords(database), "first"

        async def record(number: int) -> None:
            name = f"{stem}-{number}"
            await records.record(replace(MESSAGE, answer_id=AnswerId(name), session_id=f"s-{name}"))

        async def insert(number: int) -> None:
            words = (f"{stem}-{number}", QUESTION, ANSWER, MESSAGE.receipt)
            await bare.execute("INSERT INTO plain VALUES (%s, %s, %s, %s)", words)

        for count in (0, MANY):
            await fill(url, count)
            print(f"recording with {count} messages kept: {await timed(record)}")
            print(f"  a bare INSERT of the same words: {await timed(insert)}")
            stem = "second"
        conversations = PostgresConversations(database)
        began = time.perf_counter()
        await conversations.forget("s-first-1")
        print(
            f"forgetting one of {MANY + 2 * TIMES} messages, tables written anew: {time.perf_counter() - began:.2f} s"
        )
        began = time.perf_counter()
        gone = await conversations.expire(since=datetime.now(UTC) - timedelta(days=30))
        print(f"letting {gone.messages} old messages go: {time.perf_counter() - began:.2f} s")


async def fill(url: str, count: int) -> None:
    """Old messages of as many sessions."""
    async with await psycopg.AsyncConnection.connect(url) as conn:
        old = datetime.now(UTC) - timedelta(days=40)
        await conn.execute(
            "INSERT INTO chat_sessions SELECT 'old' || n, %s, %s FROM generate_series(1, %s) n",
            (old, old, count),
        )
        await conn.execute(
            "INSERT INTO chat_messages SELECT 'old' || n, 'old' || n, %s, %s, %s, true, 'en', '/', 'guest', 'answered', '',"
            " '', '{}', 1, 'extractive', 'full', 0, 0, 0, 0, 0, '{}', '{}', '{}', '', NULL, '', '', %s"
            " FROM generate_series(1, %s) n",
            (old, QUESTION, ANSWER, MESSAGE.receipt, count),
        )


def main() -> int:
    """On an embedded server of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="magpie-bench-", ignore_cleanup_errors=True) as folder,
        embedded_database(open_state({"MAGPIE_STATE": f"{folder}/state"})) as server,
    ):
        asyncio.run(measure(ensure_database(server, "magpie_bench")))
    return 0


if __name__ == "__main__":
    run(main)
