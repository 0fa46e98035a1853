"""
How much an ingest costs beside what it can't do without: reading bytes, and COPY.

    python -m tests.bench.ingest [--files 10000] [--chunks 6000]

An unchanged corpus of Markdown files of 4 kB against a bare loop that reads and hashes them; then
staging and publishing with embeddings given, against a bare binary COPY of the same rows into the
same table, by turns in one run, without and with the vectors' index. Rows a second count processor
time of client and server together where the machine is busy: look at the ratios.
"""

import argparse
import asyncio
import hashlib
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
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
from magpie.adapters.postgres.queries import query
from magpie.adapters.sandbox import SandboxedReader
from magpie.ingesting.fingerprint import rules_hash
from magpie.ingesting.run import Ingest, Parts
from magpie.model import Revision, SourceKey
from magpie.site import Site, load_site
from tests.bench.database import (
    CHUNKS_A_SOURCE,
    DIMENSION,
    MODEL,
    Corpus,
    a_server,
    fresh,
    row,
)
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


async def plain_copy(
    conn: psycopg.AsyncConnection[object], batches: Sequence[Sequence[Revision]], first: int
) -> None:
    """The same rows, one transaction a batch, and nothing else."""
    number = first
    for batch in batches:
        numbered = []
        for one in batch:
            numbered.append((number, one))
            number += 1
        await staging._copy(
            conn, "copy_sources", staging.SOURCE_TYPES, (staging._source_row(n, one) for n, one in numbered)
        )
        await staging._copy(conn, "copy_chunks", staging.CHUNK_TYPES, staging._chunk_rows(iter(numbered)))
        await conn.commit()


async def against_copy(server: str, chunks: int, *, with_vectors: bool) -> None:
    """Rows a second of both, by turns; each round's rows are new to both."""
    sources = max(ROUNDS, chunks // CHUNKS_A_SOURCE)
    made = [Corpus(seed=7).revision(number) for number in range(sources)]
    share = sources // ROUNDS
    ours, bare, whole = [], [], []
    async with AsyncExitStack() as stack:
        databases = []
        for name in ("magpie_bench_ours", "magpie_bench_bare"):
            url = fresh(server, name)
            await migrate_database(url, DIMENSION, None)
            databases.append((url, await stack.enter_async_context(Database(url))))
        only = indexes.INDEX_OF if with_vectors else ("rag_chunks_words",)
        for _, database in databases:
            await indexes.build(database, only=only)
        conn = await stack.enter_async_context(
            await psycopg.AsyncConnection.connect(databases[1][0], row_factory=dict_row)
        )
        info = await TypeInfo.fetch(conn, "vector")
        assert info is not None
        register_vector_info(conn, info)
        await conn.execute(query("begin_writing"))
        await conn.commit()
        versions = PostgresVersions(databases[0][1])
        async with versions.draft(parent=None, primary=MODEL, fallback=None, site_text="bench") as draft:
            for turn in range(ROUNDS):
                mine = made[turn * share : (turn + 1) * share]
                batches = [mine[start : start + 100] for start in range(0, len(mine), 100)]
                begin = time.perf_counter()
                await plain_copy(conn, batches, 1_000_000 * (turn + 1))
                bare.append(time.perf_counter() - begin)
                begin = time.perf_counter()
                for batch in batches:
                    await draft.add(batch)
                ours.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            if with_vectors:
                await draft.activate(
                    expected_sources=share * ROUNDS, expected_chunks=share * ROUNDS * CHUNKS_A_SOURCE
                )
                whole.append(time.perf_counter() - begin)
    rows = share * CHUNKS_A_SOURCE
    ratio = statistics.median(b / o for b, o in zip(bare, ours, strict=True))
    row(
        f"{'with' if with_vectors else 'without'} the vectors' index, {ROUNDS} x {rows} chunks",
        f"{rows / statistics.median(bare):,.0f}",
        f"{rows / statistics.median(ours):,.0f}",
        f"{ratio:.2f}",
        f"{whole[0]:.2f} s" if whole else "",
    )


async def bench(server: str, files: int, chunks: int) -> None:
    await unchanged(server, files)
    print()
    row("chunks a second", "bare COPY", "ours", "ratio, median of turns", "seal and switch")
    row("---", "---", "---", "---", "---")
    await against_copy(server, chunks, with_vectors=False)
    await against_copy(server, chunks // 2, with_vectors=True)
    row(f"load average {os.getloadavg()[0]:.1f}", f"{os.cpu_count()} cores", "", "", "")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--chunks", type=int, default=6000)
    parser.add_argument("--url", help="a server's `postgres` database, as superuser")
    chosen = parser.parse_args()
    with a_server(chosen.url) as server:
        asyncio.run(bench(server, chosen.files, chosen.chunks))


if __name__ == "__main__":
    main()
