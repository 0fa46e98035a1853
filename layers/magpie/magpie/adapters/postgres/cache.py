"""Vectors kept by model and text, and vectors that are missing."""

from collections.abc import Mapping, Sequence

from magpie.adapters.postgres.locks import SHARED
from magpie.adapters.postgres.pool import Database, from_database, to_database
from magpie.adapters.postgres.queries import query
from magpie.adapters.postgres.versions import refuse_other_models
from magpie.model import ChunkId, EmbeddingModel, Vector


class PostgresEmbeddingCache:
    """`EmbeddingCache` on Postgres. Hashes are those of chunks, or of the texts that were embedded."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, model: EmbeddingModel, hashes: Sequence[str]) -> Mapping[str, Vector]:
        """What is known, in single precision; what is not is absent."""
        async with self._database.writing() as conn:
            cursor = await conn.execute(
                query("cache_get"), {"model": model.identity, "hashes": list(hashes)}, binary=True
            )
            return {row["text_hash"]: from_database(row["embedding"]) async for row in cursor}

    async def put(self, model: EmbeddingModel, vectors: Mapping[str, Vector]) -> None:
        """Keep; two runs that put the same at once do no harm."""
        hashes = sorted(vectors)
        arguments = {
            "model": model.identity,
            "hashes": hashes,
            "vectors": [to_database(vectors[text_hash]) for text_hash in hashes],
        }
        async with self._database.writing() as conn:
            await conn.execute(query("cache_put"), arguments)


class PostgresQuestionCache:
    """`QuestionCache` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, model: str, hashes: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """What is known; what is not is absent."""
        async with self._database.writing() as conn:
            cursor = await conn.execute(query("expansion_get"), {"model": model, "hashes": list(hashes)})
            return {row["text_hash"]: tuple(row["questions"].split("\n")) async for row in cursor}

    async def put(self, model: str, questions: Mapping[str, tuple[str, ...]]) -> None:
        """Keep; a question is one line."""
        hashes = sorted(questions)
        arguments = {
            "model": model,
            "hashes": hashes,
            "questions": ["\n".join(questions[name]) for name in hashes],
        }
        async with self._database.writing() as conn:
            await conn.execute(query("expansion_put"), arguments)


class PostgresMissingVectors:
    """`MissingVectors` on Postgres: of every kept version, since a rollback may bring one back."""

    def __init__(self, database: Database, model: EmbeddingModel | None = None) -> None:
        """`model` is whose vectors will be filled in; where it is named, the index must be of it."""
        self._database = database
        self._model = model

    async def next_batch(self, limit: int) -> tuple[tuple[ChunkId, str], ...]:
        """Chunks without a fallback vector, with the text that is embedded; empty when all have one."""
        async with self._database.writing() as conn:
            cursor = await conn.execute(query("missing_fallback"), {"limit": limit})
            return tuple([(ChunkId(row["id"]), row["text"]) async for row in cursor])

    async def fill(self, vectors: Mapping[ChunkId, Vector]) -> None:
        """Idempotent: a vector that is there already stays. Raises: CorpusInvalid for another model's."""
        chunks = sorted(vectors)
        arguments = {"chunks": chunks, "vectors": [to_database(vectors[chunk]) for chunk in chunks]}
        async with self._database.writing() as conn:
            await conn.execute(*SHARED)
            await refuse_other_models(conn, {"fallback": self._model})
            await conn.execute(query("fill_fallback"), arguments)
