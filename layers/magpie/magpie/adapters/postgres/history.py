"""The history of the corpus: what was, what differs, going back, and taking away."""

from collections.abc import Mapping
from typing import Any

from magpie.adapters.postgres.locks import ALONE, POINTER
from magpie.adapters.postgres.pool import Connection, Database
from magpie.adapters.postgres.queries import query
from magpie.adapters.postgres.rows import key_of, version_from_row
from magpie.adapters.postgres.versions import TABLES, held_models, remove_unheld, remove_versions
from magpie.errors import CorpusInvalid
from magpie.model import (
    EmbeddingModel,
    Pruned,
    Purged,
    SourceChange,
    SourceKey,
    Version,
    VersionDiff,
    VersionId,
)

GRACE_S = 120.0  # twice the longest stream: a question may still be reading what it pinned


class PostgresHistory:
    """`History` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def versions(self) -> tuple[Version, ...]:
        """Those that are kept, newest first."""
        async with self._database.writing() as conn:
            cursor = await conn.execute(query("history"))
            return tuple([version_from_row(row) async for row in cursor])

    async def diff(self, older: VersionId, newer: VersionId) -> VersionDiff:
        """Sources that the two do not share, with both texts. Raises: CorpusInvalid where one is unknown."""
        async with self._database.writing() as conn:
            for version in (older, newer):
                await _kept(conn, version)
            cursor = await conn.execute(query("diff"), {"older": older, "newer": newer})
            changes = [
                SourceChange(
                    key=key_of(row),
                    title=row["title"],
                    path=row["path"],
                    before=row["before"],
                    after=row["after"],
                )
                async for row in cursor
            ]
        return VersionDiff(
            older=older,
            newer=newer,
            added=tuple(change for change in changes if change.before is None),
            removed=tuple(change for change in changes if change.after is None),
            changed=tuple(change for change in changes if None not in (change.before, change.after)),
        )

    async def rollback(self, version: VersionId) -> Version:
        """
        Point to a kept version; nothing is written but the pointer. Raises: CorpusInvalid, also where
        the indexes moved to another model since: the version's own vectors are gone.
        """
        async with self._database.writing() as conn:
            await conn.execute(*POINTER)
            _refuse_moved(await _kept(conn, version), await held_models(conn))
            await conn.execute(query("move_pointer"), {"version": version})
            return await _kept(conn, version)

    async def prune(self, keep: int, *, grace_s: float = GRACE_S) -> Pruned:
        """
        Let all but the newest `keep` versions go, never the active one, nor one that was active
        less than `grace_s` ago; and the revisions that none holds any more.
        """
        async with self._database.writing() as conn:
            await conn.execute(*ALONE)
            await conn.execute(*POINTER)
            cursor = await conn.execute(query("prunable"), {"keep": keep, "grace_s": grace_s})
            versions = [VersionId(row["id"]) async for row in cursor]
            await remove_versions(conn, versions)
        revisions, chunks = await remove_unheld(self._database)
        if revisions:
            await self._database.vacuum(*TABLES)
        return Pruned(versions=tuple(versions), revisions=revisions, chunks=chunks)

    async def purge(self, key: SourceKey) -> Purged:
        """
        Remove a source from every version, as if it had never been there: text, vectors, counts of
        words, cached vectors. What backups and the server's log hold is beyond us.

        A version that held nothing else stays, empty. Raises: CorpusInvalid when no version holds it.
        """
        async with self._database.writing() as conn:
            await conn.execute(*ALONE)
            counts = await _purge_counts(conn, key)
            gone = {"revisions": counts["revisions"]}
            cached = await conn.execute(query("purge_cache"), gone)
            await conn.execute(query("purge_expansions"), gone)
            for name in (
                "purge_lexemes",
                "purge_empty_lexemes",
                "purge_groups",
                "purge_marks",
                "purge_manifest",
                "purge_sources",
            ):
                await conn.execute(query(name), gone)
        await self._database.vacuum(*TABLES, "embedding_cache")
        return Purged(
            key=key,
            versions=counts["versions"],
            revisions=len(counts["revisions"]),
            chunks=counts["chunks"],
            cached=cached.rowcount,
        )


def _refuse_moved(version: Version, held: Mapping[str, EmbeddingModel]) -> None:
    for name, model in (("primary", version.primary), ("fallback", version.fallback)):
        if model and name in held and held[name].identity != model.identity:
            raise CorpusInvalid(
                f"version {version.id} was embedded with {model.name}, whose vectors went when the {name} index "
                f"moved to {held[name].name}; put its documents back and run `magpie ingest --all`"
            )


async def _kept(conn: Connection, version: VersionId) -> Version:
    cursor = await conn.execute(query("kept_version"), {"version": version})
    row = await cursor.fetchone()
    if row is None:
        raise CorpusInvalid(f"version {version} is not kept; `magpie versions` lists those that are")
    return version_from_row(row)


async def _purge_counts(conn: Connection, key: SourceKey) -> dict[str, Any]:
    arguments = {"source_type": key.source_type, "source_key": key.source_key}
    row = await (await conn.execute(query("purge_counts"), arguments)).fetchone()
    if row is None or not row["revisions"]:
        raise CorpusInvalid(
            f"no version holds {key}; `magpie search --json` names type and key of what it finds"
        )
    return dict(row)
