"""Small corpora to publish: revisions from a few words, vectors that are near where words are shared."""

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from magpie.adapters.postgres import Database, PostgresVersions
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
    VersionId,
    Visibility,
)

PRIMARY = EmbeddingModel(provider="test", name="words", dimension=384)
FALLBACK = EmbeddingModel(provider="test", name="other-words", dimension=512)


def digest(text: str) -> str:
    """SHA-256, hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def vector(text: str, dimension: int = 384) -> Vector:
    """A unit vector: the sum of a fixed random direction a word, so that shared words bring texts near."""
    total = [1e-6] * dimension
    for word in text.lower().split():
        direction = random.Random(f"{dimension}:{word}")
        total = [sum_ + direction.gauss(0, 1) for sum_ in total]
    norm = math.sqrt(math.fsum(number * number for number in total))
    return tuple(number / norm for number in total)


@dataclass(frozen=True, slots=True)
class WordsEmbedder:
    """An `Embedder` whose vectors are `vector`'s."""

    model: EmbeddingModel = PRIMARY

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return tuple(vector(text, self.model.dimension) for text in texts)

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return await self.embed_passages(texts)


def revision(
    key: str,
    *texts: str,
    source_type: str = "page",
    title: str = "",
    visibility: Visibility = Visibility.PUBLIC,
    scope: Scope = Scope.COMPANY,
    language: str = "en",
    published: date | None = None,
    person_key: str | None = None,
    header: str = "",
    metadata: Mapping[str, Any] | None = None,
    fallback: bool = True,
) -> Revision:
    """A source of one chunk a text."""
    whole = "\n\n".join(texts)
    source = Source(
        key=SourceKey(source_type=source_type, source_key=key),
        path=f"{source_type}/{key}.md",
        title=title or key.title(),
        text=whole,
        origin=Origin.FIRST_PARTY,
        scope=scope,
        visibility=visibility,
        language=Language(language),
        url=f"https://example.com/{key}",
        published=published,
        person_key=person_key,
        metadata=metadata or {},
        content_hash=digest(
            f"{source_type}/{key}/{title}/{visibility}/{language}/{published}/{person_key}/{whole}"
        ),
        raw_hash=digest(whole),
        rules_hash="rules",
    )
    return Revision(source=source, chunks=tuple(_chunks(texts, header, fallback)))


def _chunks(texts: Sequence[str], header: str, fallback: bool) -> list[EmbeddedChunk]:
    chunks, start = [], 0
    for index, text in enumerate(texts):
        chunk = Chunk(
            index=index,
            content=text,
            span=Span(start=start, end=start + len(text)),
            header=header,
            content_hash=digest(header + text),
        )
        other = vector(text, 512) if fallback else None
        chunks.append(EmbeddedChunk(chunk=chunk, primary=vector(text), fallback=other))
        start += len(text) + 2
    return chunks


async def publish(
    database: Database,
    revisions: Sequence[Revision],
    *,
    kept: Sequence[str] = (),
    note: str = "",
    site_text: str = "site: test",
) -> Version:
    """A version of these revisions and, of the active version, the sources whose keys are named."""
    versions = PostgresVersions(database)
    active = await versions.active()
    stored = await versions.stored(active.id) if active else ()
    keep = [source for source in stored if source.key.source_key in kept]
    async with versions.draft(
        parent=active.id if active else None,
        primary=PRIMARY,
        fallback=FALLBACK,
        site_text=site_text,
        note=note,
    ) as draft:
        await draft.add(revisions)
        await draft.keep(keep)
        return await draft.activate(
            expected_sources=len(revisions) + len(keep),
            expected_chunks=sum(len(one.chunks) for one in revisions) + sum(one.chunk_count for one in keep),
        )


async def publish_on(database: Database, parent: VersionId | None, revisions: Sequence[Revision]) -> Version:
    """A version of these revisions alone, made on top of the given one."""
    async with PostgresVersions(database).draft(
        parent=parent, primary=PRIMARY, fallback=FALLBACK, site_text="site: test"
    ) as draft:
        await draft.add(revisions)
        chunks = sum(len(one.chunks) for one in revisions)
        return await draft.activate(expected_sources=len(revisions), expected_chunks=chunks)


def renamed(given: Revision, path: str) -> Revision:
    """The same source, found elsewhere."""
    return replace(given, source=replace(given.source, path=path))
