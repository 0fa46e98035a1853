"""
Roles, schema, dimensions: the only place that changes what tables there are.

Safe to run at any time, from any number of processes at once: roles are made in a transaction
of their own, since they belong to the whole cluster; all the rest is one transaction under one lock.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.rows import dict_row

from magpie.adapters.postgres.locks import Lock
from magpie.adapters.postgres.pool import CONNECT_TIMEOUT_S, Connection, checked_address, one, translated
from magpie.adapters.postgres.queries import query, sql_folder
from magpie.errors import CorpusInvalid, SettingsInvalid

ROLE_TRIES = 20
COLUMNS = ("embedding", "fallback_embedding")


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """What a run did: the files that it applied, the columns that got their dimension."""

    applied: tuple[str, ...]
    dimensions: Mapping[str, int]


async def migrate_database(
    url: str, primary_dimension: int | None, fallback_dimension: int | None
) -> Migrated:
    """
    `migrate` over a connection of its own. A dimension that is None stays undecided.

    Raises: DatabaseUnavailable, SettingsInvalid, CorpusInvalid.
    """
    checked_address(url)
    with translated("migrating"):
        options: dict[str, Any] = {"autocommit": True, "prepare_threshold": None, "row_factory": dict_row}
        async with await AsyncConnection.connect(url, connect_timeout=CONNECT_TIMEOUT_S, **options) as conn:
            return await migrate(conn, primary_dimension, fallback_dimension)


async def migrate(
    conn: Connection, primary_dimension: int | None, fallback_dimension: int | None
) -> Migrated:
    """
    Bring the database to where the code is: each file of `sql/migrations` once, in order, then
    the vectors' dimensions; None leaves one as it is. `conn` is in autocommit, its rows are
    dicts, its login may create roles and owns the database.

    Raises: SettingsInvalid for a file that was changed after it was applied, or a wrong server;
    CorpusInvalid for a dimension that is not that of the vectors stored.
    """
    await _make_roles(conn)
    async with conn.transaction():
        await conn.execute(query("migrations_begin"), {"migrations": Lock.MIGRATIONS})
        await _make_room(conn)
        applied = await _apply_new(conn)
        dimensions = await _decide_dimensions(
            conn, dict(zip(COLUMNS, (primary_dimension, fallback_dimension), strict=True))
        )
    return Migrated(applied=applied, dimensions=dimensions)


async def _make_roles(conn: Connection) -> None:
    """Grants of the same roles from two databases at once may collide in the catalogue: then again."""
    roles = (sql_folder() / "roles.sql").read_bytes()
    for attempt in range(ROLE_TRIES):
        try:
            async with conn.transaction():
                await conn.execute(roles)
        except (errors.InternalError_, errors.UniqueViolation, errors.DuplicateObject):
            if attempt == ROLE_TRIES - 1:
                raise
            await asyncio.sleep(0.05 * (attempt + 1))
        else:
            return


async def _make_room(conn: Connection) -> None:
    """The extension, where our functions look for it, and a schema in which only the owner creates."""
    try:
        async with conn.transaction():
            await conn.execute(query("extension"))
    except (errors.UndefinedFile, errors.FeatureNotSupported) as exc:
        raise SettingsInvalid("this Postgres has no pgvector; install version 0.8 or newer of it") from exc
    row = await one(conn, "extension_where")
    if row["schema"] != "public":
        raise SettingsInvalid(
            f"pgvector lives in schema {row['schema']}; move it: ALTER EXTENSION vector SET SCHEMA public"
        )
    if _number(row["version"]) < (0, 8):
        raise SettingsInvalid(
            f"pgvector {row['version']} is too old; 0.8 or newer: ALTER EXTENSION vector UPDATE"
        )
    await conn.execute(query("schema_rights"))


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


async def _apply_new(conn: Connection) -> tuple[str, ...]:
    await conn.execute(query("migrations_table"))
    applied = {row["name"]: row["checksum"] async for row in await conn.execute(query("migrations_applied"))}
    files = sorted((sql_folder() / "migrations").glob("*.sql"))
    _refuse_unknown(applied, files)
    new = [file for file in files if file.name not in applied]
    for file in new:
        await conn.execute(file.read_bytes())
        await conn.execute(query("migrations_note"), {"name": file.name, "checksum": checksum(file)})
    return tuple(file.name for file in new)


def checksum(file: Path) -> str:
    """SHA-256 of the text with LF line ends, so that a checkout on Windows is the same file."""
    return hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def _refuse_unknown(applied: Mapping[str, str], files: list[Path]) -> None:
    for file in files:
        if applied.get(file.name, checksum(file)) != checksum(file):
            raise SettingsInvalid(
                f"{file.name} was changed after this database had applied it; "
                "restore it and put the change into a new file"
            )
    newer = sorted(set(applied) - {file.name for file in files})
    if newer:
        raise SettingsInvalid(
            f"this database has {newer[-1]}, which this code does not know; deploy newer code"
        )


async def _decide_dimensions(conn: Connection, wanted: Mapping[str, int | None]) -> dict[str, int]:
    live = {row["name"]: row["dimension"] async for row in await conn.execute(query("dimensions"))}
    decided = {}
    for column, dimension in wanted.items():
        if dimension is None or live[column] == dimension:
            continue
        await _refuse_stored(conn, column, live[column], dimension)
        await conn.execute(
            psycopg.sql.SQL("ALTER TABLE rag_chunks ALTER COLUMN {} TYPE vector({})").format(
                psycopg.sql.Identifier(column), psycopg.sql.Literal(dimension)
            )
        )
        decided[column] = dimension
    return decided


async def _refuse_stored(conn: Connection, column: str, live: int, wanted: int) -> None:
    row = await one(conn, "vectors_stored")
    if row[column]:
        raise CorpusInvalid(
            f"{column} holds vectors of {live} numbers, the site's model makes {wanted}; "
            "run `magpie reindex` to move to the other model"
        )
