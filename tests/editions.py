"""Editions of a small corpus, told apart by a number in every chunk, and somebody who reads them."""

import asyncio
import contextlib
from dataclasses import replace

import psycopg

from magpie.adapters.postgres import Database, PostgresCatalogue, PostgresPassages
from magpie.model import EmbeddedChunk, Revision, SourceKey, VersionId, Viewer
from tests.corpora import revision

LOOK_EVERY_S = 0.05
KEYS = [SourceKey(source_type="page", source_key=key) for key in ("a", "b", "c")]
KEPT = "c"
MODELS = [revision("a", "first words", "more of it"), revision("b", "second words")]


def edition(number: int) -> list[Revision]:
    """Both pages with this number on each chunk; their vectors are made only once."""
    return [_numbered(model, number) for model in MODELS]


def _numbered(model: Revision, number: int) -> Revision:
    source = replace(model.source, content_hash=f"{model.source.key}/{number}")
    return Revision(source=source, chunks=tuple(_chunk(chunk, number) for chunk in model.chunks))


def _chunk(embedded: EmbeddedChunk, number: int) -> EmbeddedChunk:
    chunk = replace(embedded.chunk, content=f"{embedded.chunk.content} {number}")
    return replace(embedded, chunk=chunk)


def texts(number: int) -> list[str]:
    """What a reader finds of an edition, and the page that every version keeps."""
    return [chunk.chunk.content for one in edition(number) for chunk in one.chunks] + ["kept words"]


class Reader:
    """Asks the whole active version again and again on its own connections."""

    def __init__(self, database: Database) -> None:
        self._catalogue = PostgresCatalogue(database)
        self._passages = PostgresPassages(database)
        self.seen: set[tuple[str, ...]] = set()

    async def look(self) -> tuple[VersionId, list[str]]:
        version = (await self._catalogue.active_version()).id
        found = await self._passages.of_sources(KEYS, version=version, viewer=Viewer(), first_only=False)
        return version, [passage.content for passage in found]

    async def watch(self, done: asyncio.Event) -> None:
        while not done.is_set():
            _, found = await self.look()
            self.seen.add(tuple(found))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(done.wait(), LOOK_EVERY_S)


def rows(url: str) -> tuple[int, int]:
    """Versions that are no kept ones, and revisions that no version holds."""
    with psycopg.connect(url) as conn:
        found = conn.execute(
            "SELECT (SELECT count(*) FROM corpus_versions WHERE state <> 'kept'),"
            " (SELECT count(*) FROM rag_sources s WHERE NOT EXISTS"
            "  (SELECT FROM corpus_manifest m WHERE m.source_id = s.id))"
        ).fetchone()
    assert found is not None
    return found
