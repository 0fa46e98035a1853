"""LangChain's PGVectorStore (langchain-postgres) over asyncpg: its own table, filter on a column, weighted hybrid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_postgres import Column, PGEngine, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig
from langchain_postgres.v2.indexes import HNSWIndex
from sqlalchemy.ext.asyncio import create_async_engine

from tests.bench.stores.serving import DIMENSION, TOP, Asked, Row, serve

COLUMNS = ("source", "kind", "visibility")
PUBLIC = {"visibility": "public"}


class Given(Embeddings):
    """Vectors are given; nobody may ask for one."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise AssertionError("vectors are given")

    def embed_query(self, text: str) -> list[float]:
        raise AssertionError("vectors are given")


def hybrid(words: str) -> HybridSearchConfig:
    """One for each question: a shared one keeps the words of the first."""
    return HybridSearchConfig(tsv_column="tsv", fts_query=words, primary_top_k=TOP, secondary_top_k=TOP)


@dataclass(slots=True)
class LangChain:
    store: Any = None
    engine: Any = None

    async def open(self, url: str) -> None:
        self.engine = PGEngine.from_engine(
            create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://"))
        )
        await self.engine.ainit_vectorstore_table(
            "peers",
            DIMENSION,
            id_column=Column("id", "TEXT", nullable=False),
            metadata_columns=[Column(name, "TEXT") for name in COLUMNS],
            hybrid_search_config=hybrid(""),
        )
        self.store = await PGVectorStore.create(
            self.engine,
            Given(),
            "peers",
            id_column="id",
            metadata_columns=list(COLUMNS),
            hybrid_search_config=hybrid(""),
        )

    def made(self, rows: Sequence[Row]) -> dict[str, Any]:
        return {
            "texts": [row.text for row in rows],
            "embeddings": [row.vector for row in rows],
            "metadatas": [{name: getattr(row, name) for name in COLUMNS} for row in rows],
            "ids": [row.id for row in rows],
        }

    async def add(self, made: dict[str, Any]) -> None:
        await self.store.aadd_embeddings(**made)

    async def index(self) -> None:
        await self.store.aapply_hybrid_search_index()
        await self.store.aapply_vector_index(HNSWIndex(m=16, ef_construction=64))

    async def ask(self, kind: str, asked: Asked) -> list[str]:
        config = hybrid(asked.words) if kind == "hybrid" else None
        found = await self.store.asimilarity_search_with_score_by_vector(
            asked.vector, k=TOP, filter=PUBLIC, hybrid_search_config=config
        )
        return [document.id for document, _ in found]

    async def close(self) -> None:
        await self.engine.close()


if __name__ == "__main__":
    serve(LangChain())
