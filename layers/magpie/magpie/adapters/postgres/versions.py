"""
The corpus, written: stage a draft, check it, move the pointer.

A run that makes a draft holds an advisory lock in a transaction of its own for as long as it
lives; the next run takes away the drafts whose lock is free. Staging is committed piece by
piece, so that the draft can be searched before the switch; the switch is one short transaction.
"""

import contextlib
import hashlib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager

from psycopg import errors

from magpie.adapters.postgres import indexes
from magpie.adapters.postgres.locks import ALONE, POINTER, SHARED, Lock
from magpie.adapters.postgres.pool import Connection, Database, one
from magpie.adapters.postgres.queries import query
from magpie.adapters.postgres.rows import (
    model_from_json,
    model_to_json,
    stored_source_from_row,
    version_from_row,
)
from magpie.adapters.postgres.staging import copy_revisions
from magpie.errors import CorpusInvalid, DatabaseUnavailable, Overtaken
from magpie.model import EmbeddingModel, Revision, StoredSource, Version, VersionId

BATCH_CHUNKS = 2000  # a few MB on their way at once, whatever the corpus' size
REMOVED_AT_ONCE = 2000  # chunks: a second or two of work, for which a publisher may have to wait
VECTORS = {"primary": "embedding", "fallback": "fallback_embedding"}
TABLES = ("rag_sources", "rag_chunks", "corpus_manifest", "corpus_versions", "corpus_lexemes")


class PostgresVersions:
    """`Versions` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def active(self) -> Version | None:
        """The version that answers now; None before the first."""
        async with self._database.writing() as conn:
            row = await (await conn.execute(query("active_version"))).fetchone()
        return None if row is None else version_from_row(row)

    async def stored(self, version: VersionId) -> tuple[StoredSource, ...]:
        """What a version holds, by type and key."""
        async with self._database.writing() as conn:
            cursor = await conn.execute(query("stored"), {"version": version})
            return tuple([stored_source_from_row(row) async for row in cursor])

    @asynccontextmanager
    async def draft(
        self,
        *,
        parent: VersionId | None,
        primary: EmbeddingModel | None,
        fallback: EmbeddingModel | None,
        site_text: str,
        note: str = "",
    ) -> AsyncIterator["PostgresDraft"]:
        """
        A draft on top of `parent`, which has to be active still when the draft is activated.

        Raises: CorpusInvalid when the models are not those of the stored vectors.
        """
        await self.remove_orphans()
        async with self._database.alone() as holder, holder.transaction():
            row = await one(holder, "draft_hold", {"drafts": Lock.DRAFTS})
            models = {"primary": primary, "fallback": fallback}
            draft = PostgresDraft(self._database, VersionId(row["id"]), parent, models)
            await draft.begin(site_text=site_text, note=note)
            try:
                yield draft
            finally:
                if not draft.activated:
                    # Unreachable: the next run takes it away.
                    with contextlib.suppress(DatabaseUnavailable):
                        await draft.remove()
        if draft.activated:
            await self._database.vacuum(*TABLES)

    async def remove_orphans(self) -> int:
        """Take away drafts of runs that died; tells how many there were."""
        async with self._database.writing() as conn:
            await conn.execute(*ALONE)
            cursor = await conn.execute(query("draft_orphans"), {"drafts": Lock.DRAFTS})
            orphans = [row["id"] async for row in cursor]
            await remove_versions(conn, orphans)
        if orphans:
            await remove_unheld(self._database)
        return len(orphans)


class PostgresDraft:
    """`Draft` on Postgres."""

    def __init__(
        self,
        database: Database,
        version: VersionId,
        parent: VersionId | None,
        models: Mapping[str, EmbeddingModel | None],
    ) -> None:
        self._database = database
        self._models = models
        self._id = version
        self._parent = parent
        self._sealed: Version | None = None
        self.activated = False

    @property
    def id(self) -> VersionId:
        return self._id

    async def begin(self, *, site_text: str, note: str) -> None:
        """Note the draft down, once its number is held."""
        arguments = {
            "version": self._id,
            "parent": self._parent,
            "site_text": site_text,
            "site_hash": hashlib.sha256(site_text.encode()).hexdigest(),
            "primary": model_to_json(self._models["primary"]),
            "fallback": model_to_json(self._models["fallback"]),
            "note": note,
        }
        async with self._database.writing() as conn:
            await conn.execute(*SHARED)
            await _settle_models(conn, self._models)
            await conn.execute(query("draft_begin"), arguments)

    async def add(self, revisions: Iterable[Revision]) -> None:
        """
        Stage new or changed sources, in batches of their own transactions.

        A revision that is stored already (of another version) is taken over and gains the
        vectors that it lacked.
        """
        for batch in _batches(revisions):
            await self._add_batch(batch)

    async def _add_batch(self, batch: Sequence[Revision]) -> None:
        try:
            await self._copy(batch)
        except errors.UniqueViolation:
            # Another run stored one of them in the meantime: now it is known.
            await self._copy(batch)

    async def _copy(self, batch: Sequence[Revision]) -> None:
        async with self._staging() as conn:
            ids = await copy_revisions(conn, batch)
            arguments = {
                "version": self._id,
                "sources": ids,
                "paths": [revision.source.path for revision in batch],
                "raws": [revision.source.raw_hash for revision in batch],
                "rules": [revision.source.rules_hash for revision in batch],
            }
            await conn.execute(query("manifest_add"), arguments)

    async def keep(self, sources: Sequence[StoredSource]) -> None:
        """Carry revisions over, with the path and the raw hash that they have now."""
        arguments = {
            "version": self._id,
            "sources": [source.revision_id for source in sources],
            "paths": [source.path for source in sources],
            "raws": [source.raw_hash for source in sources],
            "rules": [source.rules_hash for source in sources],
        }
        async with self._staging() as conn:
            await conn.execute(query("manifest_add"), arguments)

    @asynccontextmanager
    async def _staging(self) -> AsyncIterator[Connection]:
        try:
            async with self._database.writing() as conn:
                await conn.execute(*SHARED)
                await refuse_other_models(conn, self._models)  # the index may have moved meanwhile
                if self._sealed:
                    await conn.execute(query("draft_unseal"), {"version": self._id})
                yield conn
        except errors.ForeignKeyViolation as exc:
            raise CorpusInvalid(
                f"draft {self._id} or a source that it keeps was removed meanwhile; run the ingest again"
            ) from exc
        self._sealed = None

    async def seal(self) -> Version:
        """
        Build what is missing of the indexes and count, so that the draft can be searched as
        well as an active version (the gate does). `activate` does it where nobody did.
        """
        await indexes.build(self._database)
        await indexes.build_groups(self._database)
        async with self._database.writing() as conn:
            await conn.execute(*SHARED)
            counts = await self._counts(conn)
            here = {"version": self._id, "parent": self._parent}
            for name in ("draft_unseal", "draft_groups", "draft_lexemes"):
                await conn.execute(query(name), here)
            await conn.execute(query("draft_seal"), {**here, **counts})
            self._sealed = await _version(conn, self._id)
        return self._sealed

    async def _counts(self, conn: Connection) -> dict[str, int]:
        row = await one(conn, "draft_counts", {"version": self._id, "parent": self._parent})
        if row["twice"]:
            raise CorpusInvalid(f"draft {self._id} holds {row['twice']} sources twice; nothing was published")
        if row["broken"]:
            raise CorpusInvalid(
                f"draft {self._id}: {row['broken']} sources lack chunks; nothing was published"
            )
        return {"sources": row["sources"], "chunks": row["chunks"]}

    async def activate(self, *, expected_sources: int, expected_chunks: int) -> Version:
        """
        Check the counts, then move the pointer, in one transaction.

        Raises: Overtaken when another version became active since the draft began; CorpusInvalid
        for counts that are not the expected ones. Either way the active version stays.
        """
        sealed = self._sealed or await self.seal()
        _refuse_other_counts(sealed, expected_sources, expected_chunks)
        async with self._database.writing() as conn:
            await conn.execute(*POINTER)
            row = await (await conn.execute(query("pointer"))).fetchone()
            self._refuse_other_parent(VersionId(row["version_id"]) if row else None)
            kept = await conn.execute(query("keep_version"), {"version": self._id})
            if kept.rowcount != 1:
                raise CorpusInvalid(f"draft {self._id} was removed as its run seemed dead; run again")
            await conn.execute(query("move_pointer"), {"version": self._id})
            version = await _version(conn, self._id)
        self.activated = True
        return version

    def _refuse_other_parent(self, active: VersionId | None) -> None:
        if active != self._parent:
            raise Overtaken(
                f"version {active} was published while draft {self._id} was made from {self._parent}; "
                "run the ingest again: what is unchanged costs nothing"
            )

    async def remove(self) -> None:
        """Take the draft away, with all that only it holds."""
        async with self._database.writing() as conn:
            await conn.execute(*ALONE)
            await remove_versions(conn, [self._id])
        await remove_unheld(self._database)


async def remove_versions(conn: Connection, versions: Sequence[int]) -> None:
    """Versions with their manifests and counts, never the active one; their revisions stay for now."""
    await conn.execute(query("remove_versions"), {"versions": list(versions)})


async def remove_unheld(database: Database, at_once: int = REMOVED_AT_ONCE) -> tuple[int, int]:
    """
    Revisions that no version holds any more; tells how many revisions and chunks went. A part at a
    time, each alone with its lock: who stages waits for a part at most, and who is killed leaves
    whole revisions, which the next removal takes.
    """
    revisions = chunks = 0
    while True:
        async with database.writing() as conn:
            await conn.execute(*ALONE)
            row = await one(conn, "remove_unheld", {"chunks": at_once})
        if not row["revisions"]:
            return revisions, chunks
        revisions, chunks = revisions + row["revisions"], chunks + row["chunks"]


async def _version(conn: Connection, version: VersionId) -> Version:
    row = await (await conn.execute(query("version"), {"version": version})).fetchone()
    if row is None:
        raise CorpusInvalid(f"there is no version {version}; `magpie versions` lists those that are kept")
    return version_from_row(row)


def _refuse_other_counts(sealed: Version, sources: int, chunks: int) -> None:
    if (sealed.source_count, sealed.chunk_count) != (sources, chunks):
        raise CorpusInvalid(
            f"draft {sealed.id} holds {sealed.source_count} sources and {sealed.chunk_count} chunks, "
            f"but {sources} and {chunks} were expected; nothing was published, run the ingest again"
        )
    if chunks == 0:
        raise CorpusInvalid(f"version {sealed.id} has 0 chunks; ingest something before activating")


async def held_models(conn: Connection) -> dict[str, EmbeddingModel]:
    """The model of each index that has one."""
    held = {
        row["name"]: model_from_json(row["model"]) async for row in await conn.execute(query("index_models"))
    }
    return {name: model for name, model in held.items() if model is not None}


async def refuse_other_models(conn: Connection, wanted: Mapping[str, EmbeddingModel | None]) -> None:
    """Raises: CorpusInvalid where an index holds another model than the one that is wanted."""
    held = await held_models(conn)
    for name, model in wanted.items():
        if model and name in held and held[name].identity != model.identity:
            raise CorpusInvalid(
                f"the stored vectors are of {held[name].identity}, not of {model.identity}; "
                "run `magpie reindex` to move to the site file's model"
            )


async def _settle_models(conn: Connection, wanted: Mapping[str, EmbeddingModel | None]) -> None:
    """An index gets its model by the first draft; one without any vector yet may get another."""
    held = await held_models(conn)
    for name, model in wanted.items():
        if model is None or (name in held and held[name].identity == model.identity):
            continue
        # Looked at only where it decides: finding no vector among many chunks means reading them all.
        if name not in held or not (await one(conn, "vectors_stored"))[VECTORS[name]]:
            await conn.execute(query("index_model_set"), {"name": name, "model": model_to_json(model)})
    await refuse_other_models(conn, wanted)


def _batches(revisions: Iterable[Revision]) -> Iterator[list[Revision]]:
    batch: list[Revision] = []
    chunks = 0
    for revision in revisions:
        batch.append(revision)
        chunks += max(1, len(revision.chunks))
        if chunks >= BATCH_CHUNKS:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch
