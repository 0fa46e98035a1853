"""Versions on a real Postgres: staged, switched, rolled back, pruned, purged."""

import asyncio
from dataclasses import replace

import psycopg
import pytest

from magpie.adapters.postgres import (
    Database,
    PostgresCatalogue,
    PostgresEmbeddingCache,
    PostgresHistory,
    PostgresMissingVectors,
    PostgresPassages,
    PostgresQuestionCache,
    PostgresVersions,
)
from magpie.adapters.postgres.versions import remove_unheld, remove_versions
from magpie.errors import CorpusInvalid, Overtaken
from magpie.model import EmbeddingModel, SourceKey, VersionId, Viewer
from magpie.ports import SearchQuery
from tests.corpora import FALLBACK, PRIMARY, digest, publish, publish_on, renamed, revision, vector

ANYONE = Viewer()


def page(key: str) -> SourceKey:
    return SourceKey(source_type="page", source_key=key)


async def texts(database: Database, version: VersionId) -> list[str]:
    """What a reader finds in a version, text by text."""
    found = await PostgresPassages(database).of_sources(
        [page(key) for key in ("a", "b", "c")], version=version, viewer=ANYONE, first_only=False
    )
    return [passage.content for passage in found]


def count(url: str, table: str) -> int:
    with psycopg.connect(url) as conn:
        row = conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
        assert row is not None
        return int(row[0])


async def test_nothing_is_active_before_the_first_version(database: Database) -> None:
    """
    A fresh database says that nothing is published, in words that say what to do.
    """
    assert await PostgresVersions(database).active() is None
    with pytest.raises(CorpusInvalid, match="magpie ingest"):
        await PostgresCatalogue(database).active_version()


async def test_a_version_is_what_was_published(database: Database) -> None:
    """
    The active version tells its counts, models, site file and parent.
    """
    first = await publish(database, [revision("a", "one", "two")], note="first")
    second = await publish(database, [revision("b", "three")], kept=["a"], site_text="site: other")
    active = await PostgresCatalogue(database).active_version()

    assert active == second
    assert (first.parent_id, second.parent_id) == (None, first.id)
    assert (active.source_count, active.chunk_count) == (2, 3)
    assert (active.primary, active.fallback) == (PRIMARY, FALLBACK)
    assert await PostgresCatalogue(database).site_text(first.id) == "site: test"
    assert await PostgresCatalogue(database).site_text(second.id) == "site: other"
    assert [version.note for version in await PostgresHistory(database).versions()] == ["", "first"]


async def test_a_pinned_question_reads_its_own_version_across_a_switch(database: Database) -> None:
    """
    Whoever pinned a version goes on reading it, whole, after another became active.
    """
    first = await publish(database, [revision("a", "open at nine")])
    second = await publish(database, [revision("a", "open at ten")])
    passages = PostgresPassages(database)
    query = [SearchQuery(words="open", vector=vector("open at nine"))]

    (old,) = await passages.search(query, version=first.id, viewer=ANYONE, limit=5)
    (new,) = await passages.search(query, version=second.id, viewer=ANYONE, limit=5)

    assert [passage.content for passage in old] == ["open at nine"]
    assert [passage.content for passage in new] == ["open at ten"]


async def test_a_draft_is_invisible_until_it_is_activated_and_gone_when_it_is_not(
    database: Database, database_url: str
) -> None:
    """
    What is staged changes nothing for readers, can be searched by its number once sealed, and
    leaves no row behind when its run gives up.
    """
    first = await publish(database, [revision("a", "old")])
    staged: list[str] = []

    async def stopped_by_its_gate() -> None:
        async with PostgresVersions(database).draft(
            parent=first.id, primary=PRIMARY, fallback=FALLBACK, site_text=""
        ) as draft:
            await draft.add([revision("a", "new words")])
            await draft.seal()
            found = await PostgresPassages(database).keyword(
                "new words", version=draft.id, viewer=ANYONE, limit=5, languages=["en"]
            )
            staged.extend(passage.content for passage in found)
            raise RuntimeError("gate said no")

    with pytest.raises(RuntimeError, match="gate said no"):
        await stopped_by_its_gate()

    assert staged == ["new words"]
    assert await PostgresCatalogue(database).active_version() == first
    assert await texts(database, first.id) == ["old"]
    assert (count(database_url, "rag_sources"), count(database_url, "rag_chunks")) == (1, 1)
    assert count(database_url, "corpus_versions") == 1


@pytest.mark.parametrize(("sources", "chunks"), [(2, 1), (1, 2), (0, 0)])
async def test_wrong_counts_stop_the_switch(database: Database, sources: int, chunks: int) -> None:
    """
    A draft that does not hold what was expected is not published.
    """
    first = await publish(database, [revision("a", "old")])

    async def with_wrong_counts() -> None:
        async with PostgresVersions(database).draft(
            parent=first.id, primary=PRIMARY, fallback=FALLBACK, site_text=""
        ) as draft:
            await draft.add([revision("a", "new")])
            await draft.activate(expected_sources=sources, expected_chunks=chunks)

    with pytest.raises(CorpusInvalid, match="expected"):
        await with_wrong_counts()

    assert await PostgresCatalogue(database).active_version() == first


async def test_an_empty_version_is_not_published(database: Database) -> None:
    """
    A version without a chunk would answer nothing; it is refused.
    """
    with pytest.raises(CorpusInvalid, match="0 chunks"):
        await publish(database, [])


async def test_a_source_cannot_stand_twice_in_a_version(database: Database) -> None:
    """
    Two revisions of one source in one draft are an error, not a mixture.
    """
    with pytest.raises(CorpusInvalid, match="twice"):
        await publish(database, [revision("a", "one"), revision("a", "other")])


async def test_of_two_publishers_the_second_is_told_to_run_again(database: Database) -> None:
    """
    Two runs on the same parent: the first is published whole, the second learns of it, and after
    its second try both are in the history.
    """
    base = await publish(database, [revision("a", "zero")])
    results = await asyncio.gather(
        publish_on(database, base.id, [revision("a", "one")]),
        publish_on(database, base.id, [revision("b", "two")]),
        return_exceptions=True,
    )
    winners = [result for result in results if not isinstance(result, BaseException)]
    losers = [result for result in results if isinstance(result, BaseException)]

    again = await publish(database, [revision("b", "two")], kept=["a"])

    assert len(winners) == 1
    assert [type(loser) for loser in losers] == [Overtaken]
    assert again.parent_id == winners[0].id
    assert len(await PostgresHistory(database).versions()) == 3


async def test_two_runs_may_stage_the_same_revision_at_once(database: Database, database_url: str) -> None:
    """
    One revision is stored once, whoever comes first.
    """
    same = revision("a", "the same words")
    results = await asyncio.gather(
        *(publish_on(database, None, [same]) for _ in range(4)), return_exceptions=True
    )

    assert sum(isinstance(result, Overtaken) for result in results) == 3
    assert (count(database_url, "rag_sources"), count(database_url, "rag_chunks")) == (1, 1)


async def test_a_known_revision_gains_the_vectors_that_it_lacked(
    database: Database, database_url: str
) -> None:
    """
    A revision that comes again is not stored again; what it lacked is filled in.
    """
    await publish(database, [revision("a", "words", fallback=False)])
    await publish(database, [revision("b", "other")])
    await publish(database, [revision("a", "words")])

    assert await PostgresMissingVectors(database).next_batch(10) == ()
    assert count(database_url, "rag_sources") == 2


async def test_kept_sources_take_their_new_path_and_hash(database: Database) -> None:
    """
    A file that was moved is the same revision, and the version knows where it lies now.
    """
    first = await publish(database, [revision("a", "words")])
    moved = renamed(revision("a", "words"), "elsewhere/a.md")
    second = await publish(database, [moved])
    versions = PostgresVersions(database)
    (before,) = await versions.stored(first.id)
    (after,) = await versions.stored(second.id)

    assert before.revision_id == after.revision_id
    assert (before.path, after.path) == ("page/a.md", "elsewhere/a.md")


async def test_other_models_are_refused_with_what_to_do(database: Database) -> None:
    """
    Vectors of two models never share an index.
    """
    first = await publish(database, [revision("a", "words")])
    other = EmbeddingModel(provider="test", name="newer", dimension=384)

    with pytest.raises(CorpusInvalid, match="magpie reindex"):
        async with PostgresVersions(database).draft(
            parent=first.id, primary=other, fallback=FALLBACK, site_text=""
        ):
            pass


async def test_text_that_the_database_cannot_hold_is_the_corpus_fault(database: Database) -> None:
    """
    A NUL character stops the run with a message for the owner.
    """
    with pytest.raises(CorpusInvalid, match="refuses"):
        await publish(database, [revision("a", "nul \x00 here")])


async def test_diff_and_rollback(database: Database) -> None:
    """
    Two versions can be compared text by text, and the older one brought back at once.
    """
    history = PostgresHistory(database)
    first = await publish(database, [revision("a", "costs 9"), revision("b", "gone soon")])
    second = await publish(database, [revision("a", "costs 10"), revision("c", "is new")])

    diff = await history.diff(first.id, second.id)
    back = await history.rollback(first.id)

    assert [(change.before, change.after) for change in diff.changed] == [("costs 9", "costs 10")]
    assert [change.key.source_key for change in diff.added] == ["c"]
    assert [change.key.source_key for change in diff.removed] == ["b"]
    assert back.active
    assert (await PostgresCatalogue(database).active_version()).id == first.id
    assert await texts(database, first.id) == ["costs 9", "gone soon"]
    with pytest.raises(CorpusInvalid, match="999 is not kept"):
        await history.rollback(VersionId(999))


async def test_what_no_version_holds_goes_a_part_at_a_time(database: Database, database_url: str) -> None:
    """
    However many revisions are left over, each transaction takes a few; in the end all are gone, and
    what a version holds has stayed.
    """
    first = await publish(database, [revision(f"old-{number}", "one", "two") for number in range(7)])
    await publish(database, [revision("new", "three")])
    async with database.writing() as conn:
        await remove_versions(conn, [first.id])

    with psycopg.connect(database_url, autocommit=True) as conn:
        before = conn.execute("SELECT count(*) FROM rag_sources").fetchone()
        gone = await remove_unheld(database, at_once=5)
        left = conn.execute("SELECT source_key FROM rag_sources").fetchall()

    assert before == (8,)
    assert gone == (7, 14)
    assert left == [("new",)]


async def test_pruning_keeps_what_is_needed(database: Database, database_url: str) -> None:
    """
    Old versions go with what only they held; the active one and one that was left just now stay.
    """
    history = PostgresHistory(database)
    made = [
        await publish(database, [revision("a", f"text {number}"), revision("b", "same")])
        for number in range(5)
    ]
    await history.rollback(made[1].id)

    early = await history.prune(2)
    late = await history.prune(2, grace_s=0)

    assert early.versions == ()
    assert set(late.versions) == {made[0].id, made[2].id}
    assert late.revisions == 2
    assert {version.id for version in await history.versions()} == {made[1].id, made[3].id, made[4].id}
    assert count(database_url, "rag_sources") == 4
    assert await texts(database, made[1].id) == ["text 1", "same"]


async def test_purging_leaves_no_trace(database: Database, database_url: str) -> None:
    """
    A purged source is in no version, no vector, no cache and no count, and the rest is whole.
    """
    secret = revision("b", "the codename is zanzibar")
    await publish(database, [revision("a", "old words"), secret])
    active = await publish(database, [revision("a", "new words")], kept=["b"])
    cache = PostgresEmbeddingCache(database)
    kept_by = secret.chunks[0].chunk.content_hash
    await cache.put(PRIMARY, {kept_by: vector("the codename is zanzibar")})

    purged = await PostgresHistory(database).purge(page("b"))

    assert (purged.versions, purged.revisions, purged.chunks, purged.cached) == (2, 1, 1, 1)
    assert await texts(database, active.id) == ["new words"]
    assert await cache.get(PRIMARY, [kept_by]) == {}
    assert (await PostgresCatalogue(database).active_version()).source_count == 1
    with psycopg.connect(database_url) as conn:
        assert conn.execute("SELECT * FROM corpus_lexemes WHERE lexeme LIKE 'zanzibar%'").fetchall() == []
        assert conn.execute("SELECT sum(chunks) FROM corpus_groups").fetchone() == (2,)
    with pytest.raises(CorpusInvalid, match="no version holds page:b; `magpie search --json`"):
        await PostgresHistory(database).purge(page("b"))


async def test_missing_vectors_are_filled_batch_by_batch(database: Database) -> None:
    """
    A rebuild that stops goes on where it was, and what is filled stays.
    """
    await publish(database, [revision("a", "one", "two", "three", fallback=False)])
    missing = PostgresMissingVectors(database)

    first = await missing.next_batch(2)
    await missing.fill({chunk: vector(text, 512) for chunk, text in first})
    second = await missing.next_batch(2)
    await missing.fill({chunk: vector(text, 512) for chunk, text in second})

    assert [text for _, text in first] == ["one", "two"]
    assert [text for _, text in second] == ["three"]
    assert await missing.next_batch(2) == ()


async def test_questions_of_a_chunk_are_embedded_and_never_found_by_word(database: Database) -> None:
    """
    What a chunk's questions say is in the text that a rebuild embeds, in no passage and no word search;
    purging the source takes also what a chat model asked of it.
    """
    plain = revision("a", "it is £4,350", fallback=False)
    chunk = replace(plain.chunks[0].chunk, questions=("how dear is a zeppelin", "who pays"))
    active = await publish(database, [replace(plain, chunks=(replace(plain.chunks[0], chunk=chunk),))])
    known = PostgresQuestionCache(database)
    asked_of = digest(chunk.bare_text)
    await known.put("model", {asked_of: chunk.questions, "other": ("another",)})
    passages = PostgresPassages(database)

    ((_, text),) = await PostgresMissingVectors(database).next_batch(10)
    by_word = await passages.keyword("zeppelin", version=active.id, viewer=ANYONE, limit=5, languages=["en"])
    exact = await passages.exact("zeppelin", version=active.id, viewer=ANYONE, limit=5)
    shown = await texts(database, active.id)
    kept = await known.get("model", [asked_of, "other"])
    await PostgresHistory(database).purge(page("a"))

    assert text == chunk.embedding_text
    assert (by_word, exact, shown) == ((), (), ["it is £4,350"])
    assert kept == {asked_of: chunk.questions, "other": ("another",)}
    assert await known.get("model", [asked_of, "other"]) == {"other": ("another",)}


async def test_the_cache_gives_back_what_it_was_given(database: Database) -> None:
    """
    Vectors come back by model and hash, in single precision.
    """
    cache = PostgresEmbeddingCache(database)
    await cache.put(PRIMARY, {"x": vector("x"), "y": vector("y")})
    await cache.put(PRIMARY, {"x": vector("other")})

    found = await cache.get(PRIMARY, ["x", "z"])

    assert list(found) == ["x"]
    assert found["x"] == pytest.approx(vector("x"), abs=1e-6)
    assert await cache.get(FALLBACK, ["x"]) == {}


async def test_word_counts_follow_the_versions(database: Database, database_url: str) -> None:
    """
    Counts made from the parent's and the difference are those that counting all of it gives.
    """
    await publish(database, [revision("a", "red green"), revision("b", "red blue")])
    await publish(database, [revision("c", "red yellow"), revision("a", "green green")], kept=["b"])
    with psycopg.connect(database_url) as conn:
        kept = conn.execute(
            "SELECT lexeme, documents FROM corpus_lexemes"
            " WHERE version_id = (SELECT version_id FROM corpus_active) ORDER BY 1"
        ).fetchall()

    assert kept == [("blue", 1), ("green", 1), ("red", 2), ("yellow", 1)]
