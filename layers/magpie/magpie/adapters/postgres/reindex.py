"""
Moving an index to another model: a column beside the live one, and one transaction that renames.

Until the switch nothing that readers use is touched. The switch takes the table for itself for the
length of a few catalogue changes; it waits for readers only briefly, and tries again.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from psycopg import errors

from magpie.adapters.postgres import indexes
from magpie.adapters.postgres.locks import ALONE, POINTER
from magpie.adapters.postgres.pool import Connection, Database, one, row_of, to_database
from magpie.adapters.postgres.queries import query
from magpie.adapters.postgres.rows import model_from_json, model_to_json, version_from_row
from magpie.errors import DatabaseUnavailable
from magpie.model import ChunkId, EmbeddingModel, Vector, Version, VersionId

T = TypeVar("T")
COLUMNS = {"primary": "embedding", "fallback": "fallback_embedding"}
PATIENCE = "300ms"  # whoever asks behind us waits that long at most
TRIES = 40
PAUSE_S = 0.5


class PostgresReindexing:
    """`Reindexing` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, models: Mapping[str, EmbeddingModel]) -> None:
        """Make room, or find the room of a run that was stopped on its way to the same model."""
        for name, model in models.items():
            await self._patiently(partial(_make_room, name=name, model=model))

    async def next_batch(self, name: str, *, after: ChunkId, limit: int) -> tuple[tuple[ChunkId, str], ...]:
        """Chunks with numbers above `after` that lack the new vector; empty when none does."""
        async with self._database.writing() as conn:
            cursor = await conn.execute(_for("reindex_batch", name), {"after": after, "limit": limit})
            return tuple([(ChunkId(row["id"]), row["text"]) async for row in cursor])

    async def fill(self, name: str, vectors: Mapping[ChunkId, Vector]) -> None:
        """Idempotent."""
        chunks = sorted(vectors)
        arguments = {"chunks": chunks, "vectors": [to_database(vectors[chunk]) for chunk in chunks]}
        async with self._database.writing() as conn:
            await conn.execute(_for("reindex_fill", name), arguments)

    async def build(self, names: Sequence[str]) -> None:
        """The indexes that the switch will rename. Readers go on, publishers wait."""
        for name in names:
            await indexes.build_with_patience(self._database, _for("reindex_vectors", name))
            if name == "fallback":
                await indexes.build_with_patience(self._database, query("reindex_gaps"))

    async def switch(
        self,
        names: Sequence[str],
        *,
        primary: EmbeddingModel,
        fallback: EmbeddingModel | None,
        site_text: str,
        note: str,
    ) -> Version | None:
        """
        The new active version; None where a chunk came in that lacks a vector.

        Raises: DatabaseUnavailable when readers left no gap.
        """
        version_row = {
            "primary": model_to_json(primary),
            "fallback": model_to_json(fallback),
            "site_text": site_text,
            "site_hash": hashlib.sha256(site_text.encode()).hexdigest(),
            "note": note,
        }
        version = await self._patiently(partial(_switch, names=names, version_row=version_row))
        if version is not None:
            async with self._database.writing() as conn:
                await conn.execute(query("reindex_prove"))
            await self._database.vacuum("rag_chunks")
        return version

    async def _patiently(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        for _ in range(TRIES):
            try:
                async with self._database.writing() as conn:
                    await conn.execute(query("reindex_patience"), {"patience": PATIENCE})
                    return await work(conn)
            except DatabaseUnavailable as exc:
                if not isinstance(exc.__cause__, errors.LockNotAvailable):
                    raise
            await asyncio.sleep(PAUSE_S)
        raise DatabaseUnavailable(
            "something holds the table of chunks all the time (a backup, a long query); run again later"
        )


def _for(name: str, index: str) -> bytes:
    """A statement about the index' column. Names of columns are ours, never given."""
    return query(name).replace(b"{column}", COLUMNS[index].encode())


async def _make_room(conn: Connection, name: str, model: EmbeddingModel) -> None:
    await conn.execute(*ALONE)
    under_way = {row["name"]: row["next_model"] async for row in await conn.execute(query("index_models"))}
    planned = model_from_json(under_way.get(name))
    if planned is not None and planned.identity == model.identity:
        return
    await conn.execute(_for("reindex_forget", name))
    column = _for("reindex_column", name).replace(b"{dimension}", str(int(model.dimension)).encode())
    await conn.execute(column)
    await conn.execute(query("reindex_note"), {"name": name, "model": model_to_json(model)})


async def _switch(conn: Connection, names: Sequence[str], version_row: Mapping[str, Any]) -> Version | None:
    """What readers wait for comes last: the exchange of columns is a few lines of the catalogue."""
    await conn.execute(*ALONE)
    await conn.execute(*POINTER)
    for name in names:
        if (await row_of(conn, _for("reindex_missing", name)))["missing"]:
            return None
    version = await _copy_version(conn, version_row)
    await _exchange(conn, names)
    await conn.execute(query("keep_version"), {"version": version})
    await conn.execute(query("move_pointer"), {"version": version})
    return version_from_row(await one(conn, "version", {"version": version}))


async def _copy_version(conn: Connection, version_row: Mapping[str, Any]) -> VersionId:
    row = await one(conn, "reindex_version", version_row)
    copied = {"version": row["id"], "parent": row["parent_id"]}
    for name in ("reindex_manifest", "reindex_lexemes", "reindex_groups"):
        await conn.execute(query(name), copied)
    return VersionId(row["id"])


async def _exchange(conn: Connection, names: Sequence[str]) -> None:
    await conn.execute(query("reindex_open"))
    for name in names:
        for statement in ("reindex_drop", "reindex_rename", "reindex_rename_index"):
            await conn.execute(_for(statement, name))
        if name == "fallback":
            await conn.execute(query("reindex_rename_gaps"))
        await conn.execute(query("reindex_arrived"), {"name": name})
    await conn.execute(query("reindex_close"))
