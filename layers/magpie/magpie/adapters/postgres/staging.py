"""Revisions on their way into the tables, by binary COPY."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psycopg.types.json import Jsonb

from magpie.adapters.postgres.pool import Connection, to_database
from magpie.adapters.postgres.queries import query
from magpie.model import EmbeddedChunk, Revision, Source

SOURCE_TYPES = ("int8", *["text"] * 12, "date", "text", "int4", "jsonb", "text", "int4")
CHUNK_TYPES = ("int8", "int4", *["text"] * 7, "int4", "int4", "jsonb", "text", "vector", "vector")


async def copy_revisions(conn: Connection, batch: Sequence[Revision]) -> list[int]:
    """
    Store what is not stored yet; the ids of all, in order.

    Raises: psycopg's UniqueViolation when another run stores one of them at this moment.
    """
    known = await _known(conn, batch)
    new = [place for place in range(len(batch)) if place not in known]
    fresh = await _numbers(conn, len(new))
    ids = dict(zip(new, fresh, strict=True)) | {place: row["id"] for place, row in known.items()}
    await _copy(conn, "copy_sources", SOURCE_TYPES, (_source_row(ids[place], batch[place]) for place in new))
    await _copy(conn, "copy_chunks", CHUNK_TYPES, _chunk_rows((ids[place], batch[place]) for place in new))
    await _fill(conn, [(row["id"], batch[place]) for place, row in known.items() if row["gaps"]])
    return [ids[place] for place in range(len(batch))]


async def _known(conn: Connection, batch: Sequence[Revision]) -> dict[int, Mapping[str, Any]]:
    arguments = {
        "types": [revision.source.key.source_type for revision in batch],
        "names": [revision.source.key.source_key for revision in batch],
        "hashes": [revision.source.content_hash for revision in batch],
    }
    return {row["place"] - 1: row async for row in await conn.execute(query("draft_known"), arguments)}


async def _numbers(conn: Connection, count: int) -> list[int]:
    return [row["id"] async for row in await conn.execute(query("draft_ids"), {"count": count})]


async def _copy(conn: Connection, name: str, types: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
    async with conn.cursor() as cursor, cursor.copy(query(name)) as copy:
        copy.set_types(types)
        for row in rows:
            await copy.write_row(row)


def _source_row(number: int, revision: Revision) -> tuple[Any, ...]:
    source = revision.source
    return (
        number,
        source.key.source_type,
        source.key.source_key,
        source.title,
        source.url,
        source.path,
        source.origin.value,
        source.scope.value,
        source.visibility.value,
        source.language,
        source.content_hash,
        source.raw_hash,
        source.rules_hash,
        source.published,
        source.person_key,
        source.reference_rank,
        Jsonb(dict(source.metadata)),
        source.text,
        len(revision.chunks),
    )


def _chunk_rows(numbered: Iterator[tuple[int, Revision]]) -> Iterator[tuple[Any, ...]]:
    for number, revision in numbered:
        for embedded in revision.chunks:
            yield _chunk_row(number, revision.source, embedded)


def _chunk_row(number: int, source: Source, embedded: EmbeddedChunk) -> tuple[Any, ...]:
    chunk = embedded.chunk
    return (
        number,
        chunk.index,
        source.key.source_type,
        source.scope.value,
        source.visibility.value,
        source.language,
        chunk.header,
        chunk.content,
        chunk.content_hash,
        chunk.span.start,
        chunk.span.end,
        Jsonb(dict(chunk.metadata)),
        "\n".join(chunk.questions),
        to_database(embedded.primary),
        to_database(embedded.fallback),
    )


async def _fill(conn: Connection, known: Sequence[tuple[int, Revision]]) -> None:
    given = [(number, embedded) for number, revision in known for embedded in revision.chunks]
    if not given:
        return
    arguments = {
        "sources": [number for number, _ in given],
        "indexes": [embedded.chunk.index for _, embedded in given],
        "primaries": [to_database(embedded.primary) for _, embedded in given],
        "fallbacks": [to_database(embedded.fallback) for _, embedded in given],
    }
    await conn.execute(query("fill_gaps"), arguments)
