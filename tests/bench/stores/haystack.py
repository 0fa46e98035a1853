"""Haystack's PgvectorDocumentStore: its own table and keyword index, filter on metadata, reciprocal rank fusion."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Document
from haystack.components.joiners import DocumentJoiner
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret
from haystack_integrations.components.retrievers.pgvector import (
    PgvectorEmbeddingRetriever,
    PgvectorKeywordRetriever,
)
from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore

from tests.bench.stores.serving import DIMENSION, TOP, Asked, Row, serve

PUBLIC = {"field": "meta.visibility", "operator": "==", "value": "public"}


@dataclass(slots=True)
class Haystack:
    url: str = ""
    store: Any = None
    near: Any = None
    worded: Any = None
    joiner: Any = None

    async def open(self, url: str) -> None:
        self.url = url
        await self._connect("exact_nearest_neighbor")

    async def _connect(self, strategy: str) -> None:
        self.store = PgvectorDocumentStore(
            connection_string=Secret.from_token(self.url),
            table_name="peers",
            embedding_dimension=DIMENSION,
            search_strategy=strategy,
            hnsw_index_creation_kwargs={"m": 16, "ef_construction": 64},
        )
        self.near = PgvectorEmbeddingRetriever(document_store=self.store, top_k=TOP, filters=PUBLIC)
        self.worded = PgvectorKeywordRetriever(document_store=self.store, top_k=TOP, filters=PUBLIC)
        self.joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP)
        await self.store.count_documents_async()  # makes the tables and indexes

    def made(self, rows: Sequence[Row]) -> list[Document]:
        return [
            Document(
                id=row.id,
                content=row.text,
                embedding=row.vector,
                meta={"source": row.source, "kind": row.kind, "visibility": row.visibility},
            )
            for row in rows
        ]

    async def add(self, made: list[Document]) -> None:
        await self.store.write_documents_async(made, policy=DuplicatePolicy.FAIL)

    async def index(self) -> None:
        await self.store.close_async()
        await self._connect("hnsw")

    async def ask(self, kind: str, asked: Asked) -> list[str]:
        near = (await self.near.run_async(query_embedding=asked.vector))["documents"]
        if kind == "vector":
            return [document.id for document in near]
        worded = (await self.worded.run_async(query=asked.words))["documents"]
        return [document.id for document in self.joiner.run([near, worded])["documents"]]

    async def close(self) -> None:
        await self.store.close_async()


if __name__ == "__main__":
    serve(Haystack())
