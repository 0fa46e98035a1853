"""Searches on a real Postgres."""

from datetime import date

import psycopg
import pytest

from magpie.adapters.postgres import Database, PostgresCatalogue, PostgresHistory, PostgresPassages, indexes
from magpie.model import Passage, Scope, SourceKey, Viewer, Visibility
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


async def test_a_narrow_group_is_found_by_an_index_of_its_own(database: Database, database_url: str) -> None:
    """
    A type that few chunks have gets an index in both models' vectors, once; a search that keeps this
    type alone walks it, finds what it held before, and a guest still sees public chunks alone.
    """
    kind = "o'post"
    posts = [revision(f"post-{number}", f"post words {number}", source_type=kind) for number in range(5)]
    hidden = revision("post-hidden", "post words", source_type=kind, visibility=Visibility.INTERNAL)
    pages = [revision(f"page-{number}", f"page words {number}") for number in range(8)]
    version = await publish(database, [*posts, hidden, *pages])
    passages = PostgresPassages(database)
    queries = [
        SearchQuery(words="words", vector=vector("post words")),
        SearchQuery(words="words", vector=vector("post words", 512), index="fallback"),
    ]
    only = SearchFilter(source_types=frozenset({kind}))
    before = await passages.search(queries, version=version.id, viewer=ANYONE, limit=9, narrow=only)

    made = await indexes.build_groups(database, least=2, share=2)
    again = await indexes.build_groups(database, least=2, share=2)
    after = await passages.search(queries, version=version.id, viewer=ANYONE, limit=9, narrow=only)

    assert len(made) == 2 and again == ()
    assert after == before
    assert [set(keys(found)) for found in after] == [{f"post-{number}" for number in range(5)}] * 2
    with psycopg.connect(database_url) as conn:
        narrow = "ROW(ARRAY['o''post'], NULL, NULL, NULL, NULL, NULL, NULL)::rag_filter"
        walked = conn.execute(f"SELECT rag_group('primary', '{{public}}', {narrow})".encode()).fetchone()
    assert walked == ("c.source_type = 'o''post'",)


async def test_a_catalogue_that_was_read_before_knows_of_a_purge(database: Database) -> None:
    """
    What a version holds is kept in memory; a source that was purged since is not told all the same.
    """
    version = await publish(database, [revision("stays", "words"), revision("goes", "more words")])
    catalogue = PostgresCatalogue(database)
    before = await catalogue.sources(version=version.id, viewer=ANYONE)

    again = await catalogue.sources(version=version.id, viewer=ANYONE)
    await PostgresHistory(database).purge(SourceKey(source_type="page", source_key="goes"))
    after = await catalogue.sources(version=version.id, viewer=ANYONE)

    assert [row.key.source_key for row in before] == ["goes", "stays"]
    assert again is before
    assert [row.key.source_key for row in after] == ["stays"]


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


TERMS = {
    "go": "Our services are written in Go.",
    "going": "We are going to the sea. Let's go. Ongoing work; Gogo; GO.",
    "go-based": "A Go-based service (“Go”), 使用Go开发, Go/Rust.",
    "django": "Django on a server.",
    "c": "Firmware in C, drivers in C/C++.",
    "c++": "Engines in C++ and C++-like dialects.",
    "c#": "Tools in C# only.",
    "objective-c": "Old apps in Objective-C, at the C-level.",
    "r": "Statistics in R, plotted.",
    "r-not": "R&D, R2, r@example.com, Ré, the R.E.M. song.",
    "net": "Services on .NET 8 and .NET.",
    "asp": "Pages in ASP.NET, a NET gain, dot.network.",
    "node": "Scripts on Node.js, node.js and Node.js-based tools.",
    "react": "Screens in React/Redux.",
    "it": "We do IT for hospitals.",
    "it-not": "It is what it is.",
}


@pytest.mark.parametrize(
    ("term", "holders"),
    [
        ("Go", {"go", "go-based"}),
        ("C", {"c"}),
        ("C++", {"c", "c++"}),
        ("C#", {"c#"}),
        ("R", {"r"}),
        (".NET", {"net"}),
        ("ASP.NET", {"asp"}),
        ("Node.js", {"node"}),
        ("Node", set()),
        ("Redux", {"react"}),
        ("react", {"react"}),
        ("IT", {"it"}),
        ("Objective-C", {"objective-c"}),
        ("C'; DROP TABLE rag_chunks; --", set()),
        ("a)(b[", set()),
    ],
)
async def test_a_term_is_found_as_it_is_written(database: Database, term: str, holders: set[str]) -> None:
    """
    Names of technologies match with strict boundaries, whatever the index made of them.
    """
    version = await publish(database, [revision(key, text) for key, text in TERMS.items()])

    found = await PostgresPassages(database).exact(term, version=version.id, viewer=ANYONE, limit=50)

    assert set(keys(found)) == holders


async def test_words_are_read_in_their_own_language(database: Database) -> None:
    """
    Each chunk is searched in its language, Vietnamese by whole words, and a question is read in
    the corpus' and in the visitor's.
    """
    version = await publish(
        database,
        [
            revision("en", "We build websites."),
            revision("pt", "Construímos aplicações para hospitais.", language="pt"),
            revision("vi", "Chúng tôi xây dựng ứng dụng.", language="vi"),
        ],
    )
    passages = PostgresPassages(database)
    asked = {
        "website builders": ["en", "pt"],
        "aplicação de hospital": ["en", "pt"],
        "ứng dụng": ["en", "vi"],
    }

    found = [
        keys(await passages.keyword(words, version=version.id, viewer=ANYONE, limit=5, languages=languages))
        for words, languages in asked.items()
    ]

    assert found == [["en"], ["pt"], ["vi"]]


async def test_rare_words_weigh_more(database: Database) -> None:
    """
    BM25: a word that few chunks have outweighs one that most have; a shorter chunk wins over a longer.
    """
    common = [revision(f"c{number}", f"project number {number}") for number in range(20)]
    rare = revision("rare", "aquaponics project")
    long = revision("long", "aquaponics project and " + " ".join(f"word{n}" for n in range(60)))
    version = await publish(database, [*common, rare, long])

    found = await PostgresPassages(database).keyword(
        "project aquaponics", version=version.id, viewer=ANYONE, limit=3, languages=["en"]
    )

    assert keys(found)[:2] == ["rare", "long"]
    assert [passage.keyword for passage in found] == sorted(
        (passage.keyword for passage in found), key=lambda score: -(score or 0)
    )


@pytest.mark.parametrize(
    ("narrow", "expected"),
    [
        (SearchFilter(source_types=frozenset({"post"})), {"post-old", "post-new"}),
        (SearchFilter(scopes=frozenset({Scope.PERSON})), {"cv"}),
        (SearchFilter(person_key="ada"), {"cv"}),
        (SearchFilter(keys=frozenset({SourceKey(source_type="page", source_key="page")})), {"page"}),
        (SearchFilter(published_from=date(2024, 1, 1)), {"post-new"}),
        (SearchFilter(published_to=date(2023, 12, 31)), {"post-old"}),
        (SearchFilter(published_from=date(2020, 1, 1), published_to=date(2020, 12, 31)), {"post-old"}),
        (SearchFilter(person_key="nobody"), set()),
        (SearchFilter(), {"page", "post-old", "post-new", "cv"}),
    ],
)
async def test_filters_keep_what_they_should(
    database: Database, narrow: SearchFilter, expected: set[str]
) -> None:
    """
    Every part of a filter holds for every kind of search, and loses nothing.
    """
    version = await publish(
        database,
        [
            revision("page", "shared words on a page"),
            revision("post-old", "shared words then", source_type="post", published=date(2020, 5, 1)),
            revision("post-new", "shared words now", source_type="post", published=date(2024, 5, 1)),
            revision("cv", "shared words of mine", source_type="cv", scope=Scope.PERSON, person_key="ada"),
        ],
    )
    passages = PostgresPassages(database)
    words = "shared words"
    query = SearchQuery(words=words, vector=vector(words))

    (both,) = await passages.search([query], version=version.id, viewer=ANYONE, limit=9, narrow=narrow)
    worded = await passages.keyword(
        words, version=version.id, viewer=ANYONE, limit=9, languages=["en"], narrow=narrow
    )
    exact = await passages.exact("shared", version=version.id, viewer=ANYONE, limit=9, narrow=narrow)

    assert set(keys(both)) == set(keys(worded)) == set(keys(exact)) == expected
