"""
How fast the database is: searches, ingest against a plain COPY, the switch under readers.

    python -m tests.bench.database --chunks 10000 [--url postgresql://...] [--switch-only]

Vectors are a mixture of 600 topics in 48 dimensions with noise, texts are words drawn by Zipf's
law: orders and ratios carry over to real corpora, absolute recall does not. Vectors given,
models excluded. Without `--url` an embedded server is started for the run.
"""

import argparse
import asyncio
import contextlib
import math
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import psycopg
from pgvector.psycopg.vector import register_vector_info
from psycopg.rows import dict_row
from psycopg.types import TypeInfo

from infra.local.stack import embedded_database, ensure_database
from infra.local.state import open_state
from magpie.adapters.postgres import (
    Database,
    PostgresHistory,
    PostgresPassages,
    PostgresVersions,
    indexes,
    migrate_database,
    staging,
)
from magpie.adapters.postgres.queries import query
from magpie.model import (
    Chunk,
    EmbeddedChunk,
    EmbeddingModel,
    Language,
    Origin,
    Revision,
    Scope,
    Source,
    SourceKey,
    Span,
    Vector,
    Version,
    Viewer,
    Visibility,
)
from magpie.ports import SearchFilter, SearchQuery

DIMENSION = 384
CHUNKS_A_SOURCE = 15
MODEL = EmbeddingModel(provider="bench", name="mixture", dimension=DIMENSION)
ANYONE = Viewer()
INSIDER = Viewer(visibilities=frozenset(Visibility))
ROUNDS = 100


class Corpus:
    """Revisions in any number, the same ones for the same seed."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        self._basis = self._random.normal(size=(48, DIMENSION)).astype(np.float32)
        self._topics = self._random.normal(size=(600, 48)).astype(np.float32)
        self._vocabulary = [self._word(number) for number in range(30_000)]
        share = 1 / (np.arange(30_000) + 2.7)
        self._shares = np.cumsum(share / share.sum())

    def _word(self, number: int) -> str:
        letters = self._random.integers(0, 26, size=3 + int(math.log2(number + 2)) // 2 + number % 3)
        return "".join(chr(97 + letter) for letter in letters) + "aeiou"[number % 5]

    def words(self, count: int) -> str:
        places = np.searchsorted(self._shares, self._random.random(count)).clip(0, 29_999)
        return " ".join(self._vocabulary[place] for place in places)

    def vectors(self, count: int) -> list[Vector]:
        """Of one source: a topic, the source's own turn, each chunk's own, noise."""
        topic = self._topics[self._random.integers(600)] + 0.5 * self._random.normal(size=48)
        latent = topic + 0.4 * self._random.normal(size=(count, 48))
        raw = latent @ self._basis + 0.8 * self._random.normal(size=(count, DIMENSION))
        unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return [tuple(row) for row in unit.astype(np.float32).tolist()]

    def near(self, vector: Vector) -> Vector:
        """Another vector close by, as a question is to its answer."""
        raw = np.array(vector) + 0.03 * self._random.normal(size=DIMENSION)
        return tuple((raw / np.linalg.norm(raw)).tolist())

    def revision(self, number: int, edition: str = "") -> Revision:
        """5 % are posts, 10 % internal, a person has 20 sources."""
        texts = [self.words(180) for _ in range(CHUNKS_A_SOURCE)]
        key = SourceKey(source_type="post" if number % 20 == 0 else "page", source_key=f"source-{number}")
        source = Source(
            key=key,
            path=f"{key.source_key}.md",
            title=f"Source {number} {edition}",
            text="\n\n".join(texts),
            origin=Origin.FIRST_PARTY,
            scope=Scope.COMPANY,
            visibility=Visibility.INTERNAL if number % 10 == 3 else Visibility.PUBLIC,
            language=Language("en"),
            person_key=f"person-{number // 20}",
            content_hash=f"{number}/{edition}",
            raw_hash=f"{number}/{edition}",
            rules_hash="bench",
        )
        chunks = (
            EmbeddedChunk(
                chunk=Chunk(
                    index=index,
                    content=text,
                    span=Span(start=0, end=len(text)),
                    content_hash=f"{number}/{index}",
                ),
                primary=vector,
                fallback=None,
            )
            for index, (text, vector) in enumerate(zip(texts, self.vectors(len(texts)), strict=True))
        )
        return Revision(source=source, chunks=tuple(chunks))


# --- Measuring --------------------------------------------------------------------------------


@dataclass(slots=True)
class Watch:
    """Seconds by name, added up."""

    seconds: dict[str, float]

    @contextlib.contextmanager
    def of(self, name: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin


def spread(times_s: Sequence[float]) -> str:
    """p50 / p95 in milliseconds."""
    ordered = sorted(times_s)
    return f"{statistics.median(ordered) * 1000:.2f} / {ordered[int(len(ordered) * 0.95)] * 1000:.2f}"


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def batches(corpus: Corpus, sources: int, size: int = 100) -> Iterator[list[Revision]]:
    for start in range(0, sources, size):
        yield [corpus.revision(number) for number in range(start, min(start + size, sources))]


# --- Ingest -----------------------------------------------------------------------------------


async def load(database: Database, sources: int, watch: Watch) -> Version:
    """A first load by our way, data given batch by batch, the making of data not counted."""
    versions = PostgresVersions(database)
    with watch.of("whole"):
        made = 0.0
        async with versions.draft(parent=None, primary=MODEL, fallback=None, site_text="bench") as draft:
            corpus = batches(Corpus(), sources)
            while True:
                begin = time.perf_counter()
                batch = next(corpus, None)
                made += time.perf_counter() - begin
                if batch is None:
                    break
                with watch.of("stage"):
                    await draft.add(batch)
            with watch.of("index words"):
                await indexes.build(database, only=("rag_chunks_words",))
            with watch.of("index vectors"):
                await indexes.build(database)
            with watch.of("count"):
                await draft.seal()
            version = await draft.activate(
                expected_sources=sources, expected_chunks=sources * CHUNKS_A_SOURCE
            )
    watch.seconds["whole"] -= made
    return version


async def copy_plain(url: str, sources: int, *, with_vectors_index: bool) -> float:
    """Rows a second of one binary COPY into the same table, search vector and its index included."""
    async with await psycopg.AsyncConnection.connect(url, row_factory=dict_row) as conn:
        info = await TypeInfo.fetch(conn, "vector")
        assert info is not None
        register_vector_info(conn, info)
        await conn.execute("TRUNCATE rag_sources CASCADE")
        await conn.execute(query("index_words"))
        if with_vectors_index:
            await conn.execute(query("index_primary"))
        await conn.commit()
        seconds = 0.0
        for batch in batches(Corpus(), sources):
            begin = time.perf_counter()
            await staging.copy_revisions(conn, batch)
            seconds += time.perf_counter() - begin
        begin = time.perf_counter()
        await conn.commit()
        seconds += time.perf_counter() - begin
    return sources * CHUNKS_A_SOURCE / seconds


# --- Search -----------------------------------------------------------------------------------

FILTERS = {
    "no filter, guest (90 %)": (ANYONE, SearchFilter()),
    "no filter, insider": (INSIDER, SearchFilter()),
    "type of 5 %": (INSIDER, SearchFilter(source_types=frozenset({"post"}))),
    "type of 95 %": (INSIDER, SearchFilter(source_types=frozenset({"page"}))),
    "one person (300 chunks)": (INSIDER, SearchFilter(person_key="person-3")),
}

EXACT = """
SELECT c.id FROM rag_chunks c JOIN rag_sources s ON s.id = c.source_id
 WHERE c.visibility = ANY (%(visible)s) AND (%(types)s::text[] IS NULL OR c.source_type = ANY (%(types)s))
   AND (%(person)s::text IS NULL OR s.person_key = %(person)s)
   AND EXISTS (SELECT FROM corpus_manifest m WHERE m.source_id = s.id AND m.version_id = %(version)s)
 ORDER BY (c.embedding <=> %(vector)s::vector) + 0 LIMIT 10
"""


SOME = """
SELECT embedding::text, content FROM rag_chunks
 WHERE id %% greatest(1, (SELECT max(id) FROM rag_chunks) / %(count)s) = 0 LIMIT %(count)s
"""


def questions(url: str, count: int) -> list[SearchQuery]:
    """Near stored chunks, with six words of theirs, common ones among them."""
    corpus = Corpus(seed=11)
    with psycopg.connect(url) as conn:
        rows = conn.execute(SOME, {"count": count}).fetchall()
    return [
        SearchQuery(words=" ".join(content.split()[10:70:10]), vector=corpus.near(_parsed(text)))
        for text, content in rows
    ]


def _parsed(text: str) -> Vector:
    return tuple(float(number) for number in text.strip("[]").split(","))


async def timed(call: Callable[[SearchQuery], Awaitable[object]], asked: Sequence[SearchQuery]) -> str:
    """p50 / p95 of the second round; the first one warms."""
    times: list[float] = []
    for _ in range(2):
        times.clear()
        for question in asked:
            begin = time.perf_counter()
            await call(question)
            times.append(time.perf_counter() - begin)
    return spread(times)


async def searches(database: Database, url: str, version: Version) -> None:
    """Every filter, with what is found of the ten nearest."""
    passages = PostgresPassages(database)
    asked = questions(url, ROUNDS)
    row("search", "hybrid p50 / p95 ms", "vector alone, bare SQL", "recall@10")
    row("---", "---", "---", "---")
    for name, (viewer, narrow) in FILTERS.items():

        async def hybrid(
            question: SearchQuery, viewer: Viewer = viewer, narrow: SearchFilter = narrow
        ) -> object:
            return await passages.search(
                [question], version=version.id, viewer=viewer, limit=24, narrow=narrow
            )

        with psycopg.connect(url, prepare_threshold=None) as conn:
            bare = bare_vector(conn, version, viewer, narrow)
            row(
                name,
                await timed(hybrid, asked),
                await timed(bare, asked),
                f"{recall(conn, asked, version, viewer, narrow):.3f}",
            )

    async def six(_: SearchQuery) -> object:
        return await passages.search(asked[:6], version=version.id, viewer=ANYONE, limit=24)

    async def keyword(question: SearchQuery) -> object:
        return await passages.keyword(
            question.words, version=version.id, viewer=ANYONE, limit=12, languages=["en"]
        )

    async def absent(_: SearchQuery) -> object:
        return await passages.exact("Zyzzyva", version=version.id, viewer=ANYONE, limit=8)

    row("six questions in one statement", await timed(six, asked[:50]), "", "")
    row("keyword rescue", await timed(keyword, asked), "", "")
    row("a term that is nowhere", await timed(absent, asked[:50]), "", "")


NEAREST = """
SELECT chunk_id FROM match_rag_chunks(%(vector)s::vector, %(count)s, %(version)s, %(visible)s,
    ROW(%(types)s::text[], NULL, %(person)s, NULL, NULL, NULL, NULL)::rag_filter)
"""


def narrowed(
    version: Version, viewer: Viewer, narrow: SearchFilter, vector: Vector | None, count: int = 24
) -> dict[str, object]:
    return {
        "vector": f"[{','.join(map(str, vector or ()))}]",
        "version": version.id,
        "visible": sorted(viewer.visibilities),
        "types": sorted(narrow.source_types) or None,
        "person": narrow.person_key,
        "count": count,
    }


def bare_vector(
    conn: psycopg.Connection[tuple[object, ...]], version: Version, viewer: Viewer, narrow: SearchFilter
) -> Callable[[SearchQuery], Awaitable[object]]:
    """The vector leg by itself, on a connection that is warm."""
    conn.execute("SET hnsw.iterative_scan = relaxed_order")

    async def ask(question: SearchQuery) -> object:
        return conn.execute(NEAREST, narrowed(version, viewer, narrow, question.vector)).fetchall()

    return ask


def recall(
    conn: psycopg.Connection[tuple[object, ...]],
    asked: Sequence[SearchQuery],
    version: Version,
    viewer: Viewer,
    narrow: SearchFilter,
) -> float:
    """Of the ten that are nearest, how many are among the first ten of the hundred that a search takes."""
    shares = []
    for question in asked[:60]:
        arguments = narrowed(version, viewer, narrow, question.vector, count=100)
        true = {found for (found,) in conn.execute(EXACT, arguments)}
        ours = [found for (found,) in conn.execute(NEAREST, arguments)][:10]
        shares.append(len(true & set(ours)) / len(true))
    return statistics.fmean(shares)


# --- The switch -------------------------------------------------------------------------------


async def switches(database: Database, url: str, version: Version, sources: int) -> None:
    """Five times a thousand chunks change while two readers ask."""
    asked = questions(url, ROUNDS)
    watch = Watch({})
    quiet, during = Readings(), Readings()
    changed = max(1, 1000 // CHUNKS_A_SOURCE)
    await read_until(database, asked, quiet, lambda: len(quiet.times) > 200)
    versions = PostgresVersions(database)
    for turn in range(5):
        stored = await versions.stored(version.id)
        corpus = Corpus(seed=100 + turn)
        fresh = [corpus.revision(number, f"edition {turn}") for number in range(changed)]
        gone = {one.source.key for one in fresh}
        stop = asyncio.Event()
        readers = [asyncio.create_task(read_until(database, asked, during, stop.is_set)) for _ in range(2)]
        async with versions.draft(
            parent=version.id, primary=MODEL, fallback=None, site_text="bench"
        ) as draft:
            with watch.of("stage"):
                await draft.add(fresh)
                await draft.keep([one for one in stored if one.key not in gone])
            with watch.of("count"):
                sealed = await draft.seal()
            with watch.of("activate"):
                version = await draft.activate(
                    expected_sources=sealed.source_count, expected_chunks=sealed.chunk_count
                )
        stop.set()
        await asyncio.gather(*readers)
    row("switch of 1,000 chunks", "seconds each, or ms")
    row("---", "---")
    for name, seconds in watch.seconds.items():
        row(name, f"{seconds / 5:.3f} s")
    row("readers quiet p50 / p95 ms", spread(quiet.times))
    row("readers during p50 / p95 ms", spread(during.times))
    row("reads, of them with passages of two versions", f"{len(during.times)}, {during.mixed}")
    with watch.of("prune"):
        pruned = await PostgresHistory(database).prune(1, grace_s=0)
    row("prune to one version, vacuum included", f"{watch.seconds['prune']:.2f} s, {pruned.chunks} chunks")


class Readings:
    """What readers saw."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.mixed = 0


async def read_until(
    database: Database, asked: Sequence[SearchQuery], seen: Readings, done: Callable[[], bool]
) -> None:
    """Ask like a visitor: pin the active version, search it."""
    passages = PostgresPassages(database)
    while not done():
        for question in asked[:20]:
            pinned = await database.read("active_version", {}, visibilities=())
            begin = time.perf_counter()
            (found,) = await passages.search([question], version=pinned[0]["id"], viewer=ANYONE, limit=24)
            seen.times.append(time.perf_counter() - begin)
            seen.mixed += len({passage.revision_id for passage in found}) < len(
                {passage.key for passage in found}
            )
            await asyncio.sleep(0)


# --- The run ----------------------------------------------------------------------------------


def fresh(server: str, name: str) -> str:
    """An empty database of this name."""
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        conn.execute(f"CREATE DATABASE {name}".encode())
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


async def bench(server: str, chunks: int, *, switch_only: bool) -> None:
    """All tables for one size."""
    sources = chunks // CHUNKS_A_SOURCE
    url = fresh(server, "magpie_bench")
    await migrate_database(url, DIMENSION, None)
    watch = Watch({})
    async with Database(url, search_timeout_s=30) as database:
        version = await load(database, sources, watch)
        row("ingest of", f"{version.chunk_count} chunks")
        row("---", "---")
        for name, seconds in watch.seconds.items():
            row(name, f"{seconds:.2f} s, {version.chunk_count / seconds:,.0f} chunks/s")
        if not switch_only:
            await compare_copy(server, sources)
            print()
            await searches(database, url, version)
        print()
        await switches(database, url, version, sources)


async def compare_copy(server: str, sources: int) -> None:
    """The same rows by one COPY; with the vectors' index at most 5,000 of them."""
    url = fresh(server, "magpie_bench_copy")
    await migrate_database(url, DIMENSION, None)
    plain = await copy_plain(url, min(sources, 4000), with_vectors_index=False)
    row("plain COPY, words indexed row by row", f"{plain:,.0f} chunks/s")
    indexed = await copy_plain(url, min(sources, 333), with_vectors_index=True)
    row("plain COPY, both indexed row by row", f"{indexed:,.0f} chunks/s")
    fresh(server, "magpie_bench_copy")


@contextlib.contextmanager
def a_server(url: str | None) -> Iterator[str]:
    if url:
        yield url
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        embedded_database(open_state({"MAGPIE_STATE": folder})) as server,
    ):
        yield ensure_database(server, "postgres")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, default=10_000, help="10000, 100000, 300000")
    parser.add_argument("--url", help="a server's `postgres` database, as superuser")
    parser.add_argument("--switch-only", action="store_true", help="neither COPY nor searches")
    chosen = parser.parse_args()
    with a_server(chosen.url) as server:
        asyncio.run(bench(server, chosen.chunks, switch_only=chosen.switch_only))


if __name__ == "__main__":
    main()
