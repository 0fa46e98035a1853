"""LlamaIndex' PGVectorStore: its own table with a generated search vector, filter on metadata, both legs unfused."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index.vector_stores.postgres import PGVectorStore

from tests.bench.stores.serving import DIMENSION, TOP, Asked, Row, serve

HNSW = {
    "hnsw_m": 16,
    "hnsw_ef_construction": 64,
    "hnsw_ef_search": 40,
    "hnsw_dist_method": "vector_cosine_ops",
}
PUBLIC = MetadataFilters(filters=[MetadataFilter(key="visibility", value="public")])
MODES = {"vector": VectorStoreQueryMode.DEFAULT, "hybrid": VectorStoreQueryMode.HYBRID}


@dataclass(slots=True)
class LlamaIndex:
    url: str = ""
    store: Any = None

    async def open(self, url: str) -> None:
        self.url = url
        self._connect(None)

    def _connect(self, hnsw: dict[str, Any] | None) -> None:
        """The store as it is described; its tables and indexes come with the first use."""
        self.store = PGVectorStore(
            connection_string=self.url.replace("postgresql://", "postgresql+psycopg2://"),
            async_connection_string=self.url.replace("postgresql://", "postgresql+asyncpg://"),
            table_name="peers",
            embed_dim=DIMENSION,
            hybrid_search=True,
            use_jsonb=True,
            hnsw_kwargs=hnsw,
            initialization_fail_on_error=True,
        )

    def made(self, rows: Sequence[Row]) -> list[TextNode]:
        return [
            TextNode(
                id_=row.id,
                text=row.text,
                embedding=row.vector,
                metadata={"kind": row.kind, "visibility": row.visibility},
                relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=row.source)},
            )
            for row in rows
        ]

    async def add(self, made: list[TextNode]) -> None:
        await self.store.async_add(made)

    async def index(self) -> None:
        await self.store.close()
        self._connect(dict(HNSW))
        self.store._initialize()  # the only way to have the index made before the next call

    async def ask(self, kind: str, asked: Asked) -> list[str]:
        found = await self.store.aquery(
            VectorStoreQuery(
                query_embedding=asked.vector,
                query_str=asked.words,
                similarity_top_k=TOP,
                sparse_top_k=TOP,
                filters=PUBLIC,
                mode=MODES[kind],
            )
        )
        return list(found.ids)

    async def close(self) -> None:
        await self.store.close()


if __name__ == "__main__":
    serve(LlamaIndex())
