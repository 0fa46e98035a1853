"""
How much an ingest costs beside what it can't do without: reading bytes, and COPY.

    python -m tests.bench.ingest [--files 10000] [--chunks 2000] [--before 10000] [--turns 6]

An unchanged corpus of Markdown files of 4 kB against a bare loop that reads and hashes them; then
staging with embeddings given, against a bare binary COPY of the same rows into the same tables, by
turns in one run, over an index that is filled already, without and with the vectors' index. Client
and server share the machine: look at the ratios.
"""

import argparse
import asyncio
import hashlib
import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg
from pgvector.psycopg.vector import register_vector_info
from psycopg.rows import dict_row
from psycopg.types import TypeInfo

from magpie.adapters.corpus_folder import CorpusFolder
from magpie.adapters.postgres import (
    Database,
    PostgresEmbeddingCache,
    PostgresVersions,
    indexes,
    migrate_database,
    staging,
)
from magpie.adapters.postgres.pool import Connection
from magpie.adapters.sandbox import SandboxedReader
from magpie.ingesting.fingerprint import rules_hash
from magpie.ingesting.run import Ingest, Parts
from magpie.model import Revision, SourceKey
from magpie.site import Site, load_site
from tests.bench._command import number_or_none, run, whole_number
from tests.bench.database import (
    CHUNKS_A_SOURCE,
    DIMENSION,
    MODEL,
    Corpus,
    a_server,
    fresh,
    row,
)
from tests.bench.stores.clock import ServerClock
from tests.corpora import FALLBACK, PRIMARY, WordsEmbedder, renamed, revision

FILE_BYTES = 4096
ROUNDS = 4
SITE = """
site: {key: bench, name: Bench, url: "https://bench.example"}
persona: {name: Gull}
sources: [{path: "**/*.md", type: page, key: "{stem}"}]
"""


# --- An unchanged corpus ----------------------------------------------------------------------


def write_files(folder: Path, count: int) -> None:
    words = Corpus(seed=5)
    for number in range(count):
        place = folder / f"part-{number % 20}"
        place.mkdir(exist_ok=True)
        text = f"# Page {number}\n\n" + words.words(700)
        (place / f"page-{number}.md").write_bytes(text.encode()[:FILE_BYTES].ljust(FILE_BYTES, b"."))


def stored(folder: Path, site: Site) -> Iterator[list[Revision]]:
    """A revision a file, as a run that read it would have stored it, but for its text."""
    rules = rules_hash(site.rules_for("part-0/page-0.md"), site)
    batch: list[Revision] = []
    model = revision("x", "words")
    for path in sorted(folder.rglob("*.md")):
        name, raw = path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()
        one = renamed(model, name)
        key = SourceKey(source_type="page", source_key=path.stem)
        source = replace(one.source, key=key, content_hash=raw, raw_hash=raw, rules_hash=rules)
        batch.append(Revision(source=source, chunks=one.chunks))
        if len(batch) == 1000:
            yield batch
            batch = []
    if batch:
        yield batch


def read_and_hash(folder: Path) -> float:
    """Seconds that nothing can do without: list, read, hash."""
    begin = time.perf_counter()
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                hashlib.sha256(file.read()).hexdigest()
    return time.perf_counter() - begin


async def unchanged(server: str, count: int) -> None:
    """Seconds of a run that finds nothing changed, wall and processor, beside the bare loop."""
    site = load_site(SITE)
    url = fresh(server, "magpie_bench_files")
    await migrate_database(url, PRIMARY.dimension, FALLBACK.dimension)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, count)
        async with Database(url) as database:
            versions = PostgresVersions(database)
            async with versions.draft(
                parent=None, primary=PRIMARY, fallback=FALLBACK, site_text=site.text
            ) as draft:
                for batch in stored(folder, site):
                    await draft.add(batch)
                await draft.activate(expected_sources=count, expected_chunks=count)
            parts = Parts(
                files=CorpusFolder(folder),
                versions=versions,
                hostile=SandboxedReader(),
                primary=WordsEmbedder(PRIMARY),
                fallback=WordsEmbedder(FALLBACK),
                cache=PostgresEmbeddingCache(database),
            )
            bare, ours, used = [], [], []
            for _ in range(ROUNDS):
                bare.append(read_and_hash(folder))
                begin, cpu = time.perf_counter(), time.process_time()
                summary = await Ingest(site, parts).run()
                ours.append(time.perf_counter() - begin)
                used.append(time.process_time() - cpu)
                assert (summary.version_id, summary.unchanged) == (None, count), summary
    row(f"{count} unchanged files of 4 kB", "s, median of 4", "processor s")
    row("---", "---", "---")
    row("read and hash, bare loop", f"{statistics.median(bare):.2f}", "")
    row(
        "ingest that finds nothing changed",
        f"{statistics.median(ours):.2f}",
        f"{statistics.median(used):.2f}",
    )


# --- Against COPY -----------------------------------------------------------------------------


def ratio_of(bare: Sequence[float], ours: Sequence[float]) -> str:
    """Of turns that follow each other: the median, and the spread."""
    ratios = sorted(b / o for b, o in zip(bare, ours, strict=True))
    return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"


@dataclass(frozen=True, slots=True)
class Turns:
    """What lies in the tables before, and what each turn adds."""

    before: tuple[Revision, ...]
    turns: tuple[tuple[Revision, ...], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """
    One of the two databases: what the turn's revisions are given to, and the seconds of each turn,
    by the clock and of the processor, client and server together.
    """

    store: Callable[[Sequence[Revision]], Awaitable[None]]
    clock: ServerClock
    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    async def turn(self, revisions: Sequence[Revision]) -> None:
        begin, used = time.perf_counter(), self._used()
        await self.store(revisions)
        self.seconds.append(time.perf_counter() - begin)
        self.processor.append(self._used() - used)

    def _used(self) -> float:
        return self.clock.seconds() + time.process_time()


async def plain_connection(url: str) -> Connection:
    """As the writer's, without a pool: vectors travel in binary, the role is taken once."""
    conn: Connection = await psycopg.AsyncConnection.connect(
        url, row_factory=dict_row, prepare_threshold=None
    )
    info = await TypeInfo.fetch(conn, "vector")
    assert info is not None
    register_vector_info(conn, info)
    await conn.execute("SET ROLE magpie_writer")
    await conn.commit()
    return conn


def still(url: str) -> None:
    """Nothing is cleaned up behind one side's back while the other one is on."""
    with psycopg.connect(url, autocommit=True) as conn:
        for table in ("rag_sources", "rag_chunks"):
            conn.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)".encode())


def plain_copy(conn: Connection) -> Callable[[Sequence[Revision]], Awaitable[None]]:
    """The same rows into the same two tables by one COPY each, in one transaction, and nothing else."""
    numbers = itertools.count(1_000_000)

    async def store(revisions: Sequence[Revision]) -> None:
        numbered = list(zip(numbers, revisions, strict=False))
        sources = (staging._source_row(number, one) for number, one in numbered)
        await staging._copy(conn, "copy_sources", staging.SOURCE_TYPES, sources)
        await staging._copy(conn, "copy_chunks", staging.CHUNK_TYPES, staging._chunk_rows(iter(numbered)))
        await conn.commit()

    return store


async def against_copy(server: str, made: Turns, *, with_vectors: bool) -> None:
    """
    Chunks a second of both, by turns in one run; whoever was first is second in the next turn.

    Both begin with the same chunks in their tables and in the indexes that are looked at.
    """
    only = indexes.INDEX_OF if with_vectors else ("rag_chunks_words",)
    async with AsyncExitStack() as stack:
        urls = [fresh(server, name) for name in ("magpie_bench_ours", "magpie_bench_bare")]
        for url in urls:
            await migrate_database(url, DIMENSION, None)
            still(url)
        database, other = [await stack.enter_async_context(Database(url)) for url in urls]
        conn = await plain_connection(urls[1])
        stack.push_async_callback(conn.close)
        draft = await stack.enter_async_context(
            PostgresVersions(database).draft(parent=None, primary=MODEL, fallback=None, site_text="bench")
        )
        clock = ServerClock(server)
        ours, bare = Side(draft.add, clock), Side(plain_copy(conn), clock)
        for side, own in ((ours, database), (bare, other)):
            await side.store(made.before)
            await indexes.build(own, only=only)
            await own.vacuum("rag_sources", "rag_chunks")
        for turn, revisions in enumerate(made.turns):
            for side in (ours, bare) if turn % 2 else (bare, ours):
                await side.turn(revisions)
        begin = time.perf_counter()
        await draft.seal()
        sealing_s = time.perf_counter() - begin
        report_copy(made, ours, bare, sealing_s, with_vectors=with_vectors)


def report_copy(made: Turns, ours: Side, bare: Side, sealing_s: float, *, with_vectors: bool) -> None:
    rows = len(made.turns[0]) * CHUNKS_A_SOURCE
    row(
        f"{'with' if with_vectors else 'without'} the vectors' index",
        f"{rows / statistics.median(bare.seconds):,.0f}",
        f"{rows / statistics.median(ours.seconds):,.0f}",
        ratio_of(bare.seconds, ours.seconds),
        ratio_of(bare.processor, ours.processor),
        f"{sealing_s:.2f} s",
    )


def made_turns(chunks: int, before: int, turns: int) -> Turns:
    corpus = Corpus(seed=7)
    share = -(-chunks // CHUNKS_A_SOURCE)
    first = -(-before // CHUNKS_A_SOURCE)
    made = [corpus.revision(number) for number in range(first + turns * share)]
    starts = range(first, len(made), share)
    return Turns(tuple(made[:first]), tuple(tuple(made[start : start + share]) for start in starts))


async def copies(server: str, chunks: int, before: int, turns: int) -> None:
    made = made_turns(chunks, before, turns)
    row(
        f"chunks a second, {turns} turns of {len(made.turns[0]) * CHUNKS_A_SOURCE} over {before}",
        "bare COPY",
        "ours",
        "ratio: median (spread)",
        "of processor time",
        "counting for the switch",
    )
    row("---", "---", "---", "---", "---", "---")
    await against_copy(server, made, with_vectors=False)
    await against_copy(server, made, with_vectors=True)
    row(f"load average {os.getloadavg()[0]:.1f}", f"{os.cpu_count()} cores", "", "", "", "")


async def bench(server: str, chosen: argparse.Namespace) -> None:
    if chosen.files:
        await unchanged(server, chosen.files)
        print()
    if chosen.chunks:
        await copies(server, chosen.chunks, chosen.before, chosen.turns)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--files", type=number_or_none, default=10_000, help="0 leaves the unchanged corpus out"
    )
    parser.add_argument("--chunks", type=number_or_none, default=2000, help="a turn; 0 leaves COPY out")
    parser.add_argument("--before", type=number_or_none, default=10_000, help="chunks that are there already")
    parser.add_argument("--turns", type=whole_number, default=6)
    parser.add_argument("--url", help="a server's `postgres` database, as superuser")
    chosen = parser.parse_args()
    with a_server(chosen.url) as server:
        asyncio.run(bench(server, chosen))


if __name__ == "__main__":
    run(main)
