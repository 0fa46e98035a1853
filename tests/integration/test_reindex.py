"""To another embedding model beside the live one, on a real Postgres."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from magpie.adapters.postgres import (
    Database,
    PostgresCatalogue,
    PostgresEmbeddingCache,
    PostgresHistory,
    PostgresMissingVectors,
    PostgresPassages,
    PostgresReindexing,
    PostgresVersions,
)
from magpie.errors import CorpusInvalid, MagpieError, OtherModel, QuotaExhausted
from magpie.ingesting.reindex import Models, Moved, Reindex
from magpie.ingesting.run import silent
from magpie.model import ChunkId, EmbeddingModel, Passage, Vector, VersionId, Viewer
from magpie.ports import SearchQuery
from magpie.site import load_site
from tests.corpora import FALLBACK, PRIMARY, WordsEmbedder, publish, revision, vector
from tests.cutting import Cut, cuttable

NEWER = EmbeddingModel(provider="test", name="newer-words", dimension=128, passage_prefix="p: ")
NEWER_FALLBACK = EmbeddingModel(provider="test", name="newer-others", dimension=64)
SWITCH_STEPS = 25  # the exchange of columns, the proof of the rule, the clean-up
SITE = load_site("""
site: {key: harbour, name: Harbour, url: "https://harbour.example"}
persona: {name: Gull}
sources: [{path: "**"}]
""")
PAGES = [
    revision(f"page-{number}", f"the word{number} of page{number}", f"more of{number}") for number in range(8)
]


@dataclass
class Counting:
    """An `Embedder` that notes its texts, and has no quota left after `most` of them."""

    model: EmbeddingModel
    most: int = 10_000
    texts: list[str] = field(default_factory=list)

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        if len(self.texts) + len(texts) > self.most:
            raise QuotaExhausted("test", "used up")
        self.texts += texts
        return tuple(vector(text, self.model.dimension) for text in texts)

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return tuple(vector(text, self.model.dimension) for text in texts)


async def move(
    database: Database,
    primary: Counting | WordsEmbedder,
    fallback: Counting | WordsEmbedder | None = WordsEmbedder(FALLBACK),
) -> Moved:
    run = Reindex(
        SITE,
        Models(primary=primary, fallback=fallback),
        PostgresReindexing(database),
        PostgresEmbeddingCache(database),
        silent,
    )
    return await run.run(await PostgresVersions(database).active())


async def nearest(
    database: Database, version: VersionId, text: str, model: EmbeddingModel, index: str = "primary"
) -> tuple[Passage, ...]:
    query = SearchQuery(words="", vector=vector(text, model.dimension), index=index, model=model.identity)
    (found,) = await PostgresPassages(database).search([query], version=version, viewer=Viewer(), limit=30)
    return found


def cosines(found: Sequence[Passage], text: str, model: EmbeddingModel) -> bool:
    """Whether every score is what this model gives."""
    asked = vector(text, model.dimension)
    return all(
        passage.semantic
        == pytest.approx(
            sum(a * b for a, b in zip(asked, vector(passage.content, model.dimension), strict=True)), abs=1e-4
        )
        for passage in found
    )


def columns(url: str) -> list[str]:
    with psycopg.connect(url) as conn:
        rows = conn.execute(
            "SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute"
            " WHERE attrelid = 'rag_chunks'::regclass AND attname LIKE '%embedding' AND NOT attisdropped"
            " ORDER BY 1"
        ).fetchall()
        return [name for (name,) in rows]


def large_indexes(url: str) -> set[str]:
    with psycopg.connect(url) as conn:
        rows = conn.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'rag_chunks'").fetchall()
        return {name for (name,) in rows}


async def test_the_corpus_moves_and_readers_see_one_model_or_the_other(
    database: Database, database_url: str
) -> None:
    """
    Readers who ask all the while get whole answers of the old model until the switch, are refused
    from then on, and whoever asks with the new model gets whole answers of that; the tables look
    afterwards as if they had always been of the new model.
    """
    base = await publish(database, PAGES)
    before = large_indexes(database_url)
    seen: list[str] = []

    async def ask_on() -> None:
        while True:
            try:
                found = await nearest(database, base.id, "the word3", PRIMARY)
            except OtherModel:
                return
            seen.append("whole" if len(found) == 16 and cosines(found, "the word3", PRIMARY) else "mixed")

    asking = asyncio.ensure_future(ask_on())
    moved = await move(database, WordsEmbedder(NEWER), WordsEmbedder(NEWER_FALLBACK))
    await asyncio.wait_for(asking, 60)

    assert moved.version is not None and moved.version.active
    assert (moved.version.parent_id, moved.version.primary, moved.version.fallback) == (
        base.id,
        NEWER,
        NEWER_FALLBACK,
    )
    found = await nearest(database, moved.version.id, "the word3", NEWER)
    other = await nearest(database, moved.version.id, "more of5", NEWER_FALLBACK, "fallback")
    assert set(seen) == {"whole"}
    assert len(found) == 16 and cosines(found, "the word3", NEWER)
    assert len(other) == 16 and cosines(other, "more of5", NEWER_FALLBACK)
    assert columns(database_url) == ["embedding vector(128)", "fallback_embedding vector(64)"]
    assert large_indexes(database_url) == before
    assert await move(database, WordsEmbedder(NEWER), WordsEmbedder(NEWER_FALLBACK)) == Moved(version=None)


async def test_a_move_that_was_stopped_goes_on_where_it_was(database: Database) -> None:
    """
    Out of quota after some chunks, visitors go on as before; the next run embeds only the rest.
    """
    pages = [revision(f"page-{number}", f"words {number}") for number in range(150)]
    base = await publish(database, pages)

    stopped = await move(database, Counting(NEWER, most=70))
    still = await nearest(database, base.id, "words 3", PRIMARY)
    second = Counting(NEWER)
    done = await move(database, second)

    assert (stopped.version, stopped.filled) == (None, 64)
    assert "used up" in stopped.stopped_by
    assert still and cosines(still, "words 3", PRIMARY)
    assert (done.filled, len(second.texts)) == (86, 86)
    assert done.version is not None


async def test_another_goal_begins_anew(database: Database, database_url: str) -> None:
    """
    A move that was given up for yet another model leaves none of its vectors behind.
    """
    await publish(database, [revision(f"page-{number}", f"words {number}") for number in range(70)])
    await move(database, Counting(NEWER, most=64))

    done = await move(database, WordsEmbedder(NEWER_FALLBACK))

    assert done.version is not None and done.filled == 70
    assert columns(database_url) == ["embedding vector(64)", "fallback_embedding vector(512)"]


async def test_what_is_published_meanwhile_is_moved_too(database: Database) -> None:
    """
    A publisher on the old models goes on until the switch, and its chunks have their new vectors then.
    """
    await publish(database, PAGES)

    @dataclass
    class Interrupted(Counting):
        async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
            if not self.texts:
                await publish(
                    database,
                    [revision("late", "came late")],
                    kept=[page.source.key.source_key for page in PAGES],
                )
            return await Counting.embed_passages(self, texts)

    moved = await move(database, Interrupted(NEWER))

    assert moved.version is not None
    assert (moved.version.source_count, moved.filled) == (9, 17)
    found = await nearest(database, moved.version.id, "came late", NEWER)
    assert found[0].content == "came late"


async def test_after_the_switch_the_old_model_is_refused_everywhere(database: Database) -> None:
    """
    A draft that was begun before, a rebuild, a new draft, a rollback: each is told that the index
    moved, and nothing of theirs is stored.
    """
    base = await publish(database, PAGES)
    versions = PostgresVersions(database)

    async def publish_across_the_switch() -> None:
        async with versions.draft(parent=base.id, primary=PRIMARY, fallback=FALLBACK, site_text="") as draft:
            await move(database, WordsEmbedder(NEWER), WordsEmbedder(NEWER_FALLBACK))
            await draft.add([revision("late", "too late")])

    with pytest.raises(CorpusInvalid, match="magpie reindex"):
        await publish_across_the_switch()
    with pytest.raises(CorpusInvalid, match="magpie reindex"):
        async with versions.draft(parent=base.id, primary=PRIMARY, fallback=None, site_text=""):
            pass
    with pytest.raises(CorpusInvalid, match="magpie reindex"):
        await PostgresMissingVectors(database, FALLBACK).fill({ChunkId(1): vector("x", 512)})
    with pytest.raises(CorpusInvalid, match=f"version {base.id} was embedded with words"):
        await PostgresHistory(database).rollback(base.id)

    active = await PostgresCatalogue(database).active_version()
    assert active.primary == NEWER
    assert len(await versions.stored(active.id)) == len(PAGES)


async def test_a_move_needs_something_to_move(database: Database) -> None:
    """
    Before the first version there is nothing to embed, and the owner is told what to do.
    """
    with pytest.raises(CorpusInvalid, match="magpie ingest"):
        await move(database, WordsEmbedder(NEWER))


async def test_a_cut_at_any_step_of_a_move_leaves_one_model(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """
    The line breaks at each step, before or after it in turn, and both ways at each step of the
    switch: the active version is wholly of the old model or wholly of the new one, and the next
    run comes to its end.
    """
    models = (PRIMARY, NEWER)
    await publish(database, PAGES[:2])
    for model in (NEWER, PRIMARY):  # from here on every vector is known, and all moves have the same steps
        await move(database, WordsEmbedder(model))
    async with cuttable(database_url, tmp_path) as (url, line):
        async with Database(url) as through:
            line.begin(None)
            await move(through, WordsEmbedder(NEWER))
        steps, turn, hit = line.steps, 1, 0
        cuts = [Cut(step=step, after=step % 2 == 1) for step in range(steps)]
        cuts += [Cut(step=step, after=step % 2 == 0) for step in range(steps - SWITCH_STEPS, steps)]
        for cut in cuts:
            old, new = models[turn], models[1 - turn]
            line.begin(cut)
            async with Database(url, connect_timeout_s=2) as through:
                with contextlib.suppress(MagpieError):
                    await move(through, WordsEmbedder(new))
            line.end()
            hit += line.happened
            active = await PostgresCatalogue(database).active_version()
            assert active.primary in (old, new)
            found = await nearest(database, active.id, "the word1", active.primary)
            assert len(found) == 4 and cosines(found, "the word1", active.primary), cut
            if active.primary == old:
                assert (await move(database, WordsEmbedder(new))).version is not None
            turn = 1 - turn

    assert hit == len(cuts)
