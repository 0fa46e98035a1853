"""
The large indexes of `rag_chunks`. They are made after the first load, and stay.

Row by row a load into them takes three to four times as long (docs/benchmarks.md). Besides the three
of all chunks there is one for each narrow group of a large corpus: a type, a scope or a visibility
that few chunks have, which a search of all would walk past.
"""

from collections.abc import Collection

from psycopg import errors, sql

from magpie.adapters.postgres.locks import Lock
from magpie.adapters.postgres.pool import Connection, Database
from magpie.adapters.postgres.queries import query
from magpie.errors import DatabaseUnavailable

INDEX_OF = {
    "rag_chunks_words": "index_words",
    "rag_chunks_embedding_hnsw": "index_primary",
    "rag_chunks_fallback_embedding_hnsw": "index_fallback",
}
NEEDS = {"rag_chunks_embedding_hnsw": "embedding", "rag_chunks_fallback_embedding_hnsw": "fallback_embedding"}
COLUMNS = {"primary": "embedding", "fallback": "fallback_embedding"}
GROUP_LEAST = 3000  # chunks; fewer are sorted exactly (`rag_narrowed`)
GROUP_SHARE = 5  # a group of a fifth or more is found well enough in the index of all
BUILD_MEMORY = "512MB"  # an HNSW graph of 100,000 vectors of 384 numbers stays in it


async def build(database: Database, *, only: Collection[str] = INDEX_OF) -> tuple[str, ...]:
    """Make those that are missing; their names. Waits where another run is making them."""
    async with database.writing() as conn:
        missing = tuple(name for name in await _missing(conn) if name in only)
    for name in missing:
        await build_with_patience(database, query(INDEX_OF[name]))
    return missing


async def build_groups(
    database: Database, *, least: int = GROUP_LEAST, share: int = GROUP_SHARE
) -> tuple[str, ...]:
    """Make the indexes of narrow groups that are missing; their names."""
    made = []
    for index, column in COLUMNS.items():
        async with database.writing() as conn:
            wanted = {"index": index, "least": least, "share": share}
            groups = await (await conn.execute(query("narrow_groups"), wanted)).fetchall()
        for group in groups:
            await build_with_patience(
                database, _group_index(group["name"], column, group["grouped_by"], group["value"])
            )
            made.append(group["name"])
    return tuple(made)


def _group_index(name: str, column: str, grouped_by: str, value: str) -> bytes:
    statement = sql.SQL(query("index_group").decode()).format(
        name=sql.Identifier(name),
        column=sql.Identifier(column),
        grouped_by=sql.Identifier(grouped_by),
        value=sql.Literal(value),
    )
    return statement.as_bytes(None)


async def _missing(conn: Connection) -> tuple[str, ...]:
    there = {row["name"] async for row in await conn.execute(query("indexes"))}
    undecided = {row["name"] async for row in await conn.execute(query("dimensions")) if row["dimension"] < 0}
    return tuple(name for name in INDEX_OF if name not in there and NEEDS.get(name) not in undecided)


async def build_with_patience(database: Database, statement: bytes) -> None:
    """Make one index with room to work in, one builder at a time."""
    try:
        await _build_with(database, statement, workers=2)
    except DatabaseUnavailable as exc:
        if not isinstance(exc.__cause__, (errors.DiskFull, errors.OutOfMemory)):
            raise
        # Containers often have 64 MB of shared memory, too little for workers to share a graph in.
        await _build_with(database, statement, workers=0)


async def _build_with(database: Database, statement: bytes, *, workers: int) -> None:
    settings = {"memory": BUILD_MEMORY, "workers": str(workers), "indexes": Lock.INDEXES}
    async with database.writing() as conn:
        await conn.execute(query("begin_building"), settings)
        await conn.execute(statement)
