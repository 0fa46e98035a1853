"""
How fast the database is: searches with every filter, the switch under readers, pruning.

    python -m tests.bench.database --chunks 10000 [--keep FOLDER] [--parts search recall switch]

Vectors are a mixture of 600 topics in 48 dimensions with noise, texts are words drawn by Zipf's
law: orders and ratios carry over to real corpora, absolute recall does not. Vectors given,
models excluded. Without `--url` an embedded server is started for the run; with `--keep` it lives in
that folder, and a database that is there already is measured again instead of built.
"""

import argparse
import asyncio
import contextlib
import functools
import math
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any
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
from magpie.errors import SettingsInvalid
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
from tests.bench._command import run, whole_number

DIMENSION = 384
CHUNKS_A_SOURCE = 15
MODEL = EmbeddingModel(provider="bench", name="mixture", dimension=DIMENSION)
ANYONE = Viewer()
INSIDER = Viewer(visibilities=frozenset(Visibility))
ROUNDS = 100
QUIET_S = 5.0  # before, and half of it after each publish: whatever else the machine does, it does to both
PARTS = ("search", "recall", "switch")


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


def p95(times_s: Sequence[float]) -> float:
    return sorted(times_s)[int(len(times_s) * 0.95)]


def spread(times_s: Sequence[float]) -> str:
    """p50 / p95 in milliseconds."""
    return f"{statistics.median(times_s) * 1000:.2f} / {p95(times_s) * 1000:.2f}"


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def batches(corpus: Corpus, sources: int, size: int = 100) -> Iterator[list[Revision]]:
    for start in range(0, sources, size):
        yield [corpus.revision(number) for number in range(start, min(start + size, sources))]


class Making:
    """Revisions made in a process of its own, a batch ahead: while one is stored, the next is made."""

    def __init__(self, sources: int, size: int = 100) -> None:
        self._starts = [(start, min(start + size, sources)) for start in range(0, sources, size)]

    def __iter__(self) -> Iterator[list[Revision]]:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            ahead = [process.submit(_made, *span) for span in self._starts[:2]]
            for span in self._starts[2:]:
                yield ahead.pop(0).result()
                ahead.append(process.submit(_made, *span))
            for one in ahead:
                yield one.result()


@functools.cache
def _own_corpus() -> Corpus:
    return Corpus()


def _made(first: int, last: int) -> list[Revision]:
    return [_own_corpus().revision(number) for number in range(first, last)]


# --- Ingest -----------------------------------------------------------------------------------


async def load(database: Database, sources: int, watch: Watch) -> Version:
    """A first load by our way, data given batch by batch; waiting for data is not counted."""
    versions = PostgresVersions(database)
    async with versions.draft(parent=None, primary=MODEL, fallback=None, site_text="bench") as draft:
        for batch in Making(sources):
            with watch.of("stage"):
                await draft.add(batch)
        with watch.of("index words"):
            await indexes.build(database, only=("rag_chunks_words",))
        with watch.of("index vectors"):
            await indexes.build(database)
        with watch.of("count"):
            await draft.seal()
        with watch.of("activate"):
            version = await draft.activate(
                expected_sources=sources, expected_chunks=sources * CHUNKS_A_SOURCE
            )
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
    """How long a search takes, by filter."""
    passages = PostgresPassages(database)
    asked = questions(url, ROUNDS)
    row("search", "hybrid p50 / p95 ms", "vector alone, bare SQL")
    row("---", "---", "---")
    for name, (viewer, narrow) in FILTERS.items():

        async def hybrid(
            question: SearchQuery, viewer: Viewer = viewer, narrow: SearchFilter = narrow
        ) -> object:
            return await passages.search(
                [question], version=version.id, viewer=viewer, limit=24, narrow=narrow
            )

        with psycopg.connect(url, prepare_threshold=None) as conn:
            bare = bare_vector(conn, version, viewer, narrow)
            row(name, await timed(hybrid, asked), await timed(bare, asked))

    async def six(_: SearchQuery) -> object:
        return await passages.search(asked[:6], version=version.id, viewer=ANYONE, limit=24)

    async def keyword(question: SearchQuery) -> object:
        return await passages.keyword(
            question.words, version=version.id, viewer=ANYONE, limit=12, languages=["en"]
        )

    async def absent(_: SearchQuery) -> object:
        return await passages.exact("Zyzzyva", version=version.id, viewer=ANYONE, limit=8)

    row("six questions in one statement", await timed(six, asked[:50]), "")
    row("keyword rescue", await timed(keyword, asked), "")
    row("a term that is nowhere", await timed(absent, asked[:50]), "")


def recalls(url: str, version: Version, count: int) -> None:
    """Of the ten nearest, how many are found, by filter: an exact search of the whole table for each."""
    asked = questions(url, count)
    row("filter", f"recall@10, {len(asked)} questions")
    row("---", "---")
    for name, (viewer, narrow) in FILTERS.items():
        with psycopg.connect(url, prepare_threshold=None) as conn:
            bare_vector(conn, version, viewer, narrow)
            row(name, f"{recall(conn, asked, version, viewer, narrow):.3f}")


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
    for question in asked:
        arguments = narrowed(version, viewer, narrow, question.vector, count=100)
        true = {found for (found,) in conn.execute(EXACT, arguments)}
        ours = [found for (found,) in conn.execute(NEAREST, arguments)][:10]
        shares.append(len(true & set(ours)) / len(true))
    return statistics.fmean(shares)


# --- The switch -------------------------------------------------------------------------------

TURNS = 5
READERS = 2


@dataclass(frozen=True, slots=True)
class Read:
    """One read of one reader: when it began, how long it took, and what it saw of the changing sources."""

    began: float
    seconds: float
    editions: frozenset[str]
    pinned: str

    @property
    def mixed(self) -> bool:
        """Something of another edition than the version that was pinned."""
        return bool(self.editions - {self.pinned})


@dataclass(slots=True)
class Phases:
    """When each phase of a publish ran, turn by turn, on the clock that all processes share."""

    spans: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    @contextlib.contextmanager
    def of(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.spans.setdefault(name, []).append((began, time.monotonic()))

    def reads(self, name: str, reads: Sequence[Read]) -> list[Read]:
        """Those that ran, if only for a part, while the phase did."""
        return [
            one
            for one in reads
            if any(one.began < end and one.began + one.seconds > start for start, end in self.spans[name])
        ]

    def mean_s(self, name: str) -> float:
        return statistics.fmean(end - start for start, end in self.spans[name])


def changed_sources() -> int:
    return max(1, 1000 // CHUNKS_A_SOURCE)


def edition(turn: int) -> list[Revision]:
    """The sources that change, as they are after this turn."""
    corpus = Corpus(seed=100 + turn)
    return [corpus.revision(number, f"edition {turn}") for number in range(changed_sources())]


async def switches(database: Database, url: str, version: Version) -> Version:
    """Five times a thousand chunks change while two readers in a process of their own ask."""
    editions = [edition(turn) for turn in range(TURNS)]
    asked = watched(url, editions)
    phases = Phases()
    context = get_context("spawn")
    stop, (mine, theirs) = context.Event(), context.Pipe(duplex=False)
    reader = context.Process(target=read_in_process, args=(url, asked, stop, theirs), daemon=True)
    reader.start()
    mine.recv()  # it is warm
    with phases.of("quiet"):
        await asyncio.sleep(QUIET_S)
    for turn, fresh in enumerate(editions):
        version = await publish(database, version, fresh, f"edition {turn}", phases)
        with phases.of("quiet"):
            await asyncio.sleep(QUIET_S / 2)
    with phases.of("prune to one version"):
        pruned = await PostgresHistory(database).prune(1, grace_s=0)
    stop.set()
    reads: list[Read] = mine.recv()
    reader.join()
    report_switches(phases, reads)
    print(f"{pruned.chunks} chunks were pruned")
    return version


async def publish(
    database: Database, version: Version, fresh: Sequence[Revision], note: str, phases: Phases
) -> Version:
    """A version in which these sources changed, phase by phase."""
    versions = PostgresVersions(database)
    gone = {one.source.key for one in fresh}
    with phases.of("whole publish"):
        with phases.of("know what is stored"):
            stored = await versions.stored(version.id)
        async with contextlib.AsyncExitStack() as stack:
            with phases.of("stage"):
                draft = await stack.enter_async_context(
                    versions.draft(
                        parent=version.id, primary=MODEL, fallback=None, site_text="bench", note=note
                    )
                )
                await draft.add(fresh)
                await draft.keep([one for one in stored if one.key not in gone])
            with phases.of("count"):
                sealed = await draft.seal()
            with phases.of("activate"):
                active = await draft.activate(
                    expected_sources=sealed.source_count, expected_chunks=sealed.chunk_count
                )
            with phases.of("vacuum"):
                await stack.aclose()
    return active


def watched(url: str, editions: Sequence[Sequence[Revision]]) -> list[SearchQuery]:
    """Half of the questions are near chunks that change, as some edition has them."""
    corpus = Corpus(seed=13)
    near = []
    for number in range(ROUNDS // 2):
        fresh = editions[number % len(editions)]
        one = fresh[number % len(fresh)].chunks[number % CHUNKS_A_SOURCE]
        assert one.primary is not None
        words = " ".join(one.chunk.content.split()[10:70:10])
        near.append(SearchQuery(words=words, vector=corpus.near(one.primary)))
    return [one for pair in zip(near, questions(url, ROUNDS // 2), strict=False) for one in pair]


def read_in_process(url: str, asked: Sequence[SearchQuery], stop: Any, told: Any) -> None:
    """Two readers that ask until they are told to stop, and then tell all that they saw."""
    told.send(asyncio.run(_read_all(url, asked, stop, told)))


async def _read_all(url: str, asked: Sequence[SearchQuery], stop: Any, told: Any) -> list[Read]:
    async with Database(url, search_timeout_s=30) as database:
        for question in asked[:20]:
            await _read(database, question)
        told.send("warm")
        halves = await asyncio.gather(
            *(_read_until(database, asked, place * 7, stop) for place in range(READERS))
        )
    return [one for half in halves for one in half]


async def _read_until(database: Database, asked: Sequence[SearchQuery], place: int, stop: Any) -> list[Read]:
    reads: list[Read] = []
    while not stop.is_set():
        reads.append(await _read(database, asked[place % len(asked)]))
        place += 1
    return reads


async def _read(database: Database, question: SearchQuery) -> Read:
    """Ask like a visitor: pin the active version, search it."""
    began = time.monotonic()
    (pinned,) = await database.read("active_version", {}, visibilities=())
    (found,) = await PostgresPassages(database).search(
        [question], version=pinned["id"], viewer=ANYONE, limit=24
    )
    seconds = time.monotonic() - began
    changing = {f"source-{number}" for number in range(changed_sources())}
    seen = {one.title for one in found if one.key.source_key in changing}
    return Read(began, seconds, frozenset(title.split(" ", 2)[2] for title in seen), pinned["note"])


def report_switches(phases: Phases, reads: Sequence[Read]) -> None:
    quiet = phases.reads("quiet", reads)
    row(
        f"{changed_sources() * CHUNKS_A_SOURCE} chunks change, {TURNS} times",
        "s",
        "reads",
        "p50 / p95 ms",
        "p95 to quiet",
    )
    row("---", "---", "---", "---", "---")
    for name in phases.spans:
        during = phases.reads(name, reads)
        times = [one.seconds for one in during]
        ratio = p95(times) / p95([one.seconds for one in quiet]) if times else math.nan
        row(name, f"{phases.mean_s(name):.3f}", len(during), spread(times) if times else "", f"{ratio:.2f}")
    changing = sum(1 for one in reads if one.editions)
    print()
    print(
        f"{len(reads)} reads, {changing} of them with passages of sources that change; "
        f"of another version than the pinned one: {sum(one.mixed for one in reads)}"
    )


# --- The run ----------------------------------------------------------------------------------


def fresh(server: str, name: str) -> str:
    """An empty database of this name."""
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        conn.execute(f"CREATE DATABASE {name}".encode())
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


async def bench(server: str, chosen: argparse.Namespace) -> None:
    """All tables for one size."""
    sources = chosen.chunks // CHUNKS_A_SOURCE
    url = await built(server, sources)
    async with Database(url, search_timeout_s=30) as database:
        version = await PostgresVersions(database).active()
        assert version is not None
        if chosen.compare:
            await compare_copy(server, sources)
            print()
        if "search" in chosen.parts:
            await searches(database, url, version)
            print()
        if "recall" in chosen.parts:
            recalls(url, version, chosen.recall_questions)
            print()
        if "switch" in chosen.parts:
            await switches(database, url, version)


async def built(server: str, sources: int) -> str:
    """
    The database of this size: loaded by our way, indexed, published. One that an earlier run left
    in a kept folder is taken as it is, where its active version holds as much.
    """
    name = f"magpie_bench_{sources * CHUNKS_A_SOURCE}"
    kept = urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    if await _holds(server, name, kept, sources):
        return kept
    url = fresh(server, name)
    await migrate_database(url, DIMENSION, None)
    watch = Watch({})
    async with Database(url, search_timeout_s=30) as database:
        version = await load(database, sources, watch)
    row("ingest of", f"{version.chunk_count} chunks")
    row("---", "---")
    for what, seconds in watch.seconds.items():
        row(what, f"{seconds:.2f} s, {version.chunk_count / seconds:,.0f} chunks/s")
    print()
    return url


async def _holds(server: str, name: str, url: str, sources: int) -> bool:
    with psycopg.connect(server, autocommit=True) as conn:
        if conn.execute("SELECT FROM pg_database WHERE datname = %s", (name,)).fetchone() is None:
            return False
    async with Database(url) as database:
        try:
            version = await PostgresVersions(database).active()
        except SettingsInvalid:
            return False
    await migrate_database(url, DIMENSION, None)
    return version is not None and version.source_count == sources


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
def a_server(url: str | None, keep: str | None = None) -> Iterator[str]:
    """The server of this address; without one, an embedded one in the folder that is kept, or in one for the run."""
    if url:
        yield url
        return
    with (
        contextlib.nullcontext(keep) if keep else tempfile.TemporaryDirectory() as folder,
        embedded_database(open_state({"MAGPIE_STATE": folder})) as server,
    ):
        yield ensure_database(server, "postgres")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=whole_number, default=10_000, help="10000, 100000, 300000")
    parser.add_argument("--url", help="a server's `postgres` database, as superuser")
    parser.add_argument("--keep", metavar="FOLDER", help="the databases stay there for the next run")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS, help="none only builds")
    parser.add_argument("--switch-only", dest="parts", action="store_const", const=("switch",))
    parser.add_argument("--recall-questions", type=int, default=60)
    parser.add_argument("--compare", action="store_true", help="plain COPY of as many chunks besides")
    chosen = parser.parse_args()
    with a_server(chosen.url, chosen.keep) as server:
        asyncio.run(bench(server, chosen))


if __name__ == "__main__":
    run(main)
