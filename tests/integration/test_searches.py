"""Searches on a real Postgres."""

from magpie.adapters.postgres import Database, PostgresCatalogue, PostgresPassages
from magpie.model import Passage, SourceKey, Viewer
from magpie.ports import SearchFilter, SearchQuery

from tests.corpora import publish, revision, vector

ANYONE = Viewer()


def keys(passages: tuple[Passage, ...]) -> list[str]:
    return [passage.key.source_key for passage in passages]


async def test_the_nearest_passage_comes_first_with_both_scores(database: Database) -> None:
    """
    A search finds by meaning and by words at once, and says how much of either.
    """
    version = await publish(
        database,
        [
            revision("discovery", "A discovery phase takes three weeks and costs 9,500 EUR."),
            revision("kitchen", "We repaint kitchens in green."),
            revision("hiring", "We hire designers in Lisbon."),
        ],
    )
    words = "how long does a discovery phase take"

    (found,) = await PostgresPassages(database).search(
        [SearchQuery(words=words, vector=vector(words))], version=version.id, viewer=ANYONE, limit=3
    )

    assert keys(found)[0] == "discovery"
    assert found[0].semantic is not None
    assert found[0].semantic > 0.3
    assert found[0].keyword is not None
    assert found[0].keyword > 0
    assert found[-1].keyword is None


async def test_several_questions_are_answered_in_their_order(database: Database) -> None:
    """
    Each sub-question has its own candidates, on either index, in one statement.
    """
    version = await publish(database, [revision("a", "apples and pears"), revision("b", "bolts and nuts")])
    queries = [
        SearchQuery(words="nuts", vector=vector("bolts and nuts")),
        SearchQuery(words="pears", vector=vector("apples and pears", 512), index="fallback"),
        SearchQuery(words="apples", vector=None),
        SearchQuery(words="zebra", vector=None),
    ]

    found = await PostgresPassages(database).search(queries, version=version.id, viewer=ANYONE, limit=1)

    assert [keys(passages) for passages in found] == [["b"], ["a"], ["a"], []]


async def test_of_sources_and_catalogue(database: Database) -> None:
    """
    Named sources come in the order they are named in, first chunks or all; the catalogue lists them.
    """
    version = await publish(database, [revision("one", "first", "second"), revision("two", "third")])
    passages = PostgresPassages(database)
    named = [SourceKey(source_type="page", source_key=key) for key in ("two", "one", "none")]

    first = await passages.of_sources(named, version=version.id, viewer=ANYONE)
    every = await passages.of_sources(named, version=version.id, viewer=ANYONE, first_only=False)
    listed = await PostgresCatalogue(database).sources(version=version.id, viewer=ANYONE)

    assert [passage.content for passage in first] == ["third", "first"]
    assert [passage.content for passage in every] == ["third", "first", "second"]
    assert [row.key.source_key for row in listed] == ["one", "two"]


async def test_keyword_and_exact(database: Database) -> None:
    """
    Words alone find passages; a term is found as it is written and nowhere else.
    """
    version = await publish(
        database,
        [
            revision("go", "Our services are written in Go and C++."),
            revision("going", "We are going to the sea, and C is a vitamin."),
        ],
    )
    passages = PostgresPassages(database)

    sea = await passages.keyword(
        "the sea please", version=version.id, viewer=ANYONE, limit=5, languages=["en", "pt"]
    )
    go = await passages.exact("Go", version=version.id, viewer=ANYONE, limit=5)
    narrowed = await passages.exact(
        "Go",
        version=version.id,
        viewer=ANYONE,
        limit=5,
        narrow=SearchFilter(source_types=frozenset({"post"})),
    )

    assert keys(sea) == ["going"]
    assert keys(go) == ["go"]
    assert narrowed == ()
