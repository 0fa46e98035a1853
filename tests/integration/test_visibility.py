"""What may be told to whom, whatever is asked."""

import json
import random
from collections.abc import Iterable, Mapping
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from magpie.adapters.postgres import Database, PostgresCatalogue, PostgresPassages
from magpie.adapters.postgres.pool import Rows
from magpie.asking.citing import Citer
from magpie.asking.evidence import numbered
from magpie.asking.links import LinkTokens
from magpie.asking.prompts import data_message, told_evidence
from magpie.model import Passage, Scope, SourceKey, Version, Viewer, Visibility
from magpie.ports import SearchFilter, SearchQuery
from tests.corpora import publish, revision, vector

WORDS = ("salary", "budget", "secret", "discovery", "Go", "team", "price", "holiday")
GUEST = Viewer()
INSIDER = Viewer(role="admin", visibilities=frozenset(Visibility), identified=True)

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
filters = st.builds(
    SearchFilter,
    source_types=st.sampled_from([frozenset(), frozenset({"page"}), frozenset({"cv", "page"})]),
    scopes=st.sampled_from([frozenset(), frozenset({Scope.COMPANY})]),
    person_key=st.sampled_from([None, "ada"]),
    keys=st.sampled_from([frozenset(), frozenset({SourceKey(source_type="cv", source_key="internal-1")})]),
)


async def corpus(database: Database) -> Version:
    """Pages that anyone may read beside others that only insiders may, about the same things."""
    revisions = []
    for number in range(24):
        hidden = Visibility.INTERNAL if number % 2 else Visibility.PUBLIC
        texts = [
            " ".join(WORDS[(number + step) % len(WORDS)] for step in range(3)) + f" {hidden} {number}"
        ] * 2
        revisions.append(
            revision(
                f"{hidden}-{number}",
                *texts,
                source_type="cv" if number % 3 == 0 else "page",
                visibility=hidden,
                person_key="ada" if number % 4 < 2 else None,
            )
        )
    return await publish(database, revisions)


async def everything_asked(
    database: Database, version: Version, viewer: Viewer, text: str, narrow: SearchFilter
) -> tuple[Passage, ...]:
    """All that any of the calls gives for these words."""
    passages = PostgresPassages(database)
    scoped: dict[str, Any] = {"version": version.id, "viewer": viewer}
    queries = [
        SearchQuery(words=text, vector=vector(text)),
        SearchQuery(words=text, vector=vector(text, 512), index="fallback"),
        SearchQuery(words=text, vector=None),
    ]
    keys = [
        SourceKey(source_type=kind, source_key=f"internal-{number}")
        for kind in ("cv", "page")
        for number in range(24)
    ]
    found = [*await passages.search(queries, limit=50, narrow=narrow, **scoped)]
    found.append(await passages.keyword(text, limit=50, languages=["en", "pt"], narrow=narrow, **scoped))
    found.append(await passages.exact(text.split()[0], limit=50, narrow=narrow, **scoped))
    found.append(await passages.of_sources(keys, first_only=False, **scoped))
    return tuple(passage for group in found for passage in group)


async def test_nothing_internal_reaches_a_guest(database: Database) -> None:
    """
    Whatever words, vectors, filters and names are asked for, a guest gets public passages alone.
    """
    version = await corpus(database)

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(text=words, narrow=filters)
    def holds(text: str, narrow: SearchFilter) -> None:
        cases.append((text, narrow))

    cases: list[tuple[str, SearchFilter]] = []
    holds()
    told = [await everything_asked(database, version, GUEST, text, narrow) for text, narrow in cases]
    listed = await PostgresCatalogue(database).sources(version=version.id, viewer=GUEST)

    assert sum(map(len, told)) > 0
    assert {passage.visibility for group in told for passage in group} == {Visibility.PUBLIC}
    assert all("internal" not in row.path for row in listed)
    assert len(listed) == 12


async def test_an_insider_sees_both(database: Database) -> None:
    """
    The same calls tell an insider what guests are not told.
    """
    version = await corpus(database)

    told = await everything_asked(database, version, INSIDER, "secret budget", SearchFilter())

    assert {passage.visibility for passage in told} == set(Visibility)
    assert len(await PostgresCatalogue(database).sources(version=version.id, viewer=INSIDER)) == 24


@pytest.mark.parametrize(
    ("told", "seen"), [("", 0), ("public", 12), ("internal", 12), ("public,internal", 24)]
)
async def test_rows_are_guarded_below_the_application(
    database: Database, database_url: str, told: str, seen: int
) -> None:
    """
    As the reader even a plain SELECT by a superuser's login sees only what its transaction
    named, in sources, chunks and manifest; without a name it sees nothing.
    """
    await corpus(database)
    with psycopg.connect(database_url) as conn:
        conn.execute("SELECT set_config('role', 'magpie_reader', true)")
        conn.execute("SELECT set_config('magpie.visibilities', %s, true)", (told,))
        rows = {
            table: conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
            for table in ("rag_sources", "rag_chunks", "corpus_manifest")
        }

    assert rows == {"rag_sources": (seen,), "rag_chunks": (seen * 2,), "corpus_manifest": (seen,)}


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM rag_sources",
        "UPDATE corpus_active SET version_id = 1",
        "INSERT INTO corpus_versions (site_text, site_hash) VALUES ('', '')",
        "SELECT * FROM embedding_cache",
        "SELECT rag_narrowed(1, '{internal}', NULL)",
        "CREATE TABLE mine (id int)",
    ],
)
async def test_the_reader_only_reads(database_url: str, statement: str) -> None:
    """
    The role that answers questions can't write, can't look into what is not its own.
    """
    with psycopg.connect(database_url) as conn:
        conn.execute("SET LOCAL ROLE magpie_reader")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute(statement.encode())


# --- Each of the two checks alone ---------------------------------------------------------------


class RogueReader(Database):
    """Reads as if everybody were an insider: filters and policies of the database are off."""

    async def read(
        self, name: str, arguments: Mapping[str, Any], *, visibilities: Iterable[Visibility], **more: Any
    ) -> Rows:
        return await super().read(name, _asking_all(arguments), visibilities=Visibility, **more)


class CarelessReader(Database):
    """Asks for everything, while its transactions are a guest's: what holds is the policies alone."""

    async def read(
        self, name: str, arguments: Mapping[str, Any], *, visibilities: Iterable[Visibility], **more: Any
    ) -> Rows:
        return await super().read(name, _asking_all(arguments), visibilities=[Visibility.PUBLIC], **more)


def _asking_all(arguments: Mapping[str, Any]) -> dict[str, Any]:
    asked = {"visibilities": sorted(Visibility)} if "visibilities" in arguments else {}
    return {**arguments, **asked}


ASKED = ("secret budget", "salary team", "Go")


async def seen_through(database: Database, version: Version, viewer: Viewer) -> tuple[set[Visibility], int]:
    """The visibilities of all passages that any search gives, and how many sources are listed."""
    told = [await everything_asked(database, version, viewer, text, SearchFilter()) for text in ASKED]
    listed = await PostgresCatalogue(database).sources(version=version.id, viewer=viewer)
    return {passage.visibility for group in told for passage in group}, len(listed)


async def test_the_application_alone_keeps_guests_out(database: Database, database_url: str) -> None:
    """
    With policies dropped and a reader that asks for everything, searches by vector, word, term
    and key, and the list of sources, still give a guest what is public, and an insider both.
    """
    version = await corpus(database)
    with psycopg.connect(database_url) as conn:
        for table in ("rag_sources", "rag_chunks", "corpus_manifest"):
            conn.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY".encode())
    async with RogueReader(database_url) as rogue:
        assert await seen_through(rogue, version, GUEST) == ({Visibility.PUBLIC}, 12)
        assert await seen_through(rogue, version, INSIDER) == (set(Visibility), 24)


async def test_the_database_alone_keeps_guests_out(database: Database, database_url: str) -> None:
    """
    With the application asking for everything and looking at nothing, the policies of a guest's
    transaction still leave what is public, whichever search is asked.
    """
    version = await corpus(database)
    async with CarelessReader(database_url) as careless:
        assert await seen_through(careless, version, INSIDER) == ({Visibility.PUBLIC}, 12)


async def test_no_internal_chunk_in_ten_thousand_prompts(database: Database) -> None:
    """
    10,000 generated searches of a guest: what is found becomes evidence, prompt and citations, and
    in none of them stands a word, title, path, address or key of an internal source.
    """
    version = await corpus(database)
    chance = random.Random(19)
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(1, 4))) for _ in range(200)]
    vectors = {(text, size): vector(text, size) for text in texts for size in (384, 512)}
    asked = cases = 0
    while cases < 10_000:
        queries = [_generated(chance, chance.choice(texts), vectors) for _ in range(250)]
        narrow = SearchFilter(scopes=frozenset(chance.choice([(), (Scope.COMPANY,)])))
        found = await PostgresPassages(database).search(
            queries, version=version.id, viewer=GUEST, limit=6, narrow=narrow
        )
        cases += len(queries)
        asked += sum(1 for passages in found if passages)
        for passages in found:
            assert "internal" not in _told(passages)

    assert asked > 9_000


def _generated(
    chance: random.Random, text: str, vectors: Mapping[tuple[str, int], tuple[float, ...]]
) -> SearchQuery:
    index = chance.choice(("primary", "fallback", ""))
    if not index:
        return SearchQuery(words=text, vector=None)
    return SearchQuery(words=text, vector=vectors[text, 384 if index == "primary" else 512], index=index)


def _told(passages: tuple[Passage, ...]) -> str:
    """All that leaves the database with these passages, as text."""
    hosts = ("example.com",)
    evidence = numbered(passages, 3000, LinkTokens(hosts))
    citer = Citer(evidence, policy="list", page=None, hosts=hosts)
    prompt = data_message(evidence=told_evidence(evidence)).content
    paths = [item.passage.path for item in evidence]
    return json.dumps([prompt, paths, *map(repr, citer.candidates())])
