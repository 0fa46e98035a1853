"""The SQL of a search of ours over one plain connection: what it costs with nothing of ours around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from pgvector import Vector
from pgvector.psycopg.vector import register_vector_info
from psycopg.types import TypeInfo

from magpie.adapters.postgres.queries import query
from magpie.adapters.postgres.rows import filter_arguments
from magpie.ports import SearchFilter
from tests.bench.stores.serving import TOP, Asked, Row, serve

OPENING = {"visibilities": "public", "timeout_ms": "30000"}


@dataclass(slots=True)
class Bare:
    """Nothing is stored by it: it asks what the process beside it published."""

    conn: Any = None
    version: int = 0

    async def open(self, url: str) -> None:
        self.conn = await psycopg.AsyncConnection.connect(url, autocommit=True, prepare_threshold=None)
        info = await TypeInfo.fetch(self.conn, "vector")
        assert info is not None
        register_vector_info(self.conn, info)
        await self.again()

    async def again(self) -> None:
        row = await (await self.conn.execute("SELECT version_id FROM corpus_active")).fetchone()
        self.version = row[0]

    def made(self, rows: Sequence[Row]) -> Any:
        raise AssertionError("the bare SQL stores nothing")

    async def add(self, made: Any) -> None:
        raise AssertionError("the bare SQL stores nothing")

    async def index(self) -> None:
        await self.again()

    async def ask(self, kind: str, asked: Asked) -> list[str]:
        if kind != "hybrid":
            async with self.conn.pipeline(), self.conn.transaction():
                await self.conn.execute(query("begin_reading"), OPENING)
                await self.conn.execute(query("active_version"))
            await self._rows("sources", {})
        return [str(row[0]) for row in await self._rows("search", _arguments(asked))]

    async def _rows(self, name: str, arguments: dict[str, Any]) -> list[Any]:
        scoped = {**arguments, "version": self.version, "visibilities": ["public"]}
        async with self.conn.pipeline(), self.conn.transaction():
            await self.conn.execute(query("begin_reading"), OPENING)
            cursor = await self.conn.execute(query(name), scoped, binary=True)
            rows: list[Any] = await cursor.fetchall()
            return rows

    async def close(self) -> None:
        await self.conn.close()


def _arguments(asked: Asked) -> dict[str, Any]:
    return {
        "vectors": [Vector(asked.vector)],
        "indexes": ["primary"],
        "models": [""],
        "words": [asked.words],
        "languages": ["en"],
        "limit": TOP,
        **filter_arguments(SearchFilter()),
    }


if __name__ == "__main__":
    serve(Bare())
