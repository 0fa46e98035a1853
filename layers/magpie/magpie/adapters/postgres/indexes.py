"""
The three large indexes of `rag_chunks`. They are made after the first load, and stay.

Row by row a load into them takes three to four times as long (docs/benchmarks.md).
"""

from collections.abc import Collection

from psycopg import errors

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
BUILD_MEMORY = "512MB"  # an HNSW graph of 100,000 vectors of 384 numbers stays in it


async def build(database: Database, *, only: Collection[str] = INDEX_OF) -> tuple[str, ...]:
    """Make those that are missing; their names. Waits where another run is making them."""
    async with database.writing() as conn:
        missing = tuple(name for name in await _missing(conn) if name in only)
    for name in missing:
        await build_with_patience(database, query(INDEX_OF[name]))
    return missing


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
