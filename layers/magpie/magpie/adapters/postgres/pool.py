"""
Connections, roles, and what an error of the driver means to us.

A pooler in transaction mode may stand between: no session state, no prepared statements, every
setting `SET LOCAL`, every advisory lock of the transaction.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from typing import Any

import psycopg
from pgvector import Vector as PgVector
from pgvector.psycopg.vector import register_vector_info
from psycopg import AsyncConnection, errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import DictRow, dict_row
from psycopg.types import TypeInfo
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from magpie.adapters.postgres.queries import query
from magpie.errors import (
    CorpusInvalid,
    DatabaseUnavailable,
    DeadlineExceeded,
    OtherModel,
    SettingsInvalid,
)
from magpie.model import Vector, Visibility

Connection = AsyncConnection[DictRow]
Rows = list[DictRow]

OLD_SCHEMA = (errors.UndefinedTable, errors.UndefinedFunction, errors.UndefinedObject, errors.UndefinedColumn)
CONNECT_TIMEOUT_S = 30  # a paused serverless database takes up to that long to wake
SEARCH_TIMEOUT_S = 2.0  # design: a search's deadline; the site file may lower it


class Database:
    """
    One database, as our three roles. Opens by itself at the first use, in the running loop.

    A login needs to be a member of the role it takes: of `magpie_reader` to answer, of
    `magpie_writer` to publish.
    """

    def __init__(
        self,
        url: str,
        *,
        size: int = 4,
        connect_timeout_s: int = CONNECT_TIMEOUT_S,
        search_timeout_s: float = SEARCH_TIMEOUT_S,
    ) -> None:
        self._url = checked_address(url)
        self._connect_timeout_s = connect_timeout_s
        self._search_timeout_s = search_timeout_s
        self._vector: TypeInfo | None = None
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            url,
            kwargs=self._options(),
            min_size=0,
            max_size=size,
            open=False,
            timeout=connect_timeout_s,
            reconnect_timeout=connect_timeout_s,
        )

    def _options(self) -> dict[str, Any]:
        return {
            "autocommit": True,
            "prepare_threshold": None,
            "row_factory": dict_row,
            "connect_timeout": self._connect_timeout_s,
        }

    async def __aenter__(self) -> "Database":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give the connections back. Afterwards nothing can be asked."""
        await self._pool.close()

    async def read(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        visibilities: Iterable[Visibility],
        timeout_s: float | None = None,
    ) -> Rows:
        """
        Rows of one named query, as the reader that may see these visibilities, in one round trip.

        A connection that died in the pool (a Lambda that slept, a database that restarted) is
        replaced once. Raises: DeadlineExceeded, DatabaseUnavailable.
        """
        opening = _opening(visibilities, timeout_s or self._search_timeout_s)
        with translated(name):
            try:
                return await self._read_once(name, arguments, opening)
            except psycopg.OperationalError as exc:
                if not _connection_died(exc):
                    raise
                return await self._read_once(name, arguments, opening)

    async def _read_once(self, name: str, arguments: Mapping[str, Any], opening: Mapping[str, str]) -> Rows:
        async with self._connection() as conn, conn.pipeline(), conn.transaction():
            await conn.execute(query("begin_reading"), opening)
            cursor = await conn.execute(query(name), arguments, binary=True)
            return await cursor.fetchall()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Connection]:
        """One transaction as the writer. Raises: DatabaseUnavailable, CorpusInvalid for bad data."""
        with translated("writing"):
            async with self._connection() as conn, conn.transaction():
                await conn.execute(query("begin_writing"))
                yield conn

    @asynccontextmanager
    async def acting(
        self, role: str, *, timeout_s: float = 0, at_once: bool = False
    ) -> AsyncIterator[Connection]:
        """
        One transaction as one of our roles; `at_once` in one round trip, its results unread.

        Raises: DatabaseUnavailable, DeadlineExceeded, SettingsInvalid, CorpusInvalid for bad data.
        """
        opening = {"role": role, "timeout_ms": str(round(timeout_s * 1000))}  # 0: no limit
        with translated(role):
            async with (
                self._connection() as conn,
                conn.pipeline() if at_once else nullcontext(),
                conn.transaction(),
            ):
                await conn.execute(query("begin_as"), opening)
                yield conn

    @property
    def is_awake(self) -> bool:
        """Whether a connection stands that can be used at once."""
        return self._vector is not None and self._pool.get_stats().get("pool_size", 0) > 0

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[Connection]:
        """A connection of one's own, out of the pool: for a transaction that lives as long as a run."""
        with translated("connecting"):
            async with await AsyncConnection.connect(self._url, **self._options()) as conn:
                yield conn

    async def vacuum(self, *tables: str) -> None:
        """
        Clear out dead rows and measure what is left; not in a transaction, so not as a role of
        ours: a login that does not own the tables is told so by the server and nothing happens.
        """
        async with self.alone() as conn:
            for table in tables:
                await conn.execute(f"VACUUM (ANALYZE) {table}".encode())

    async def wipe(self, *tables: str, most_bytes: int) -> None:
        """
        As `vacuum`, and what removed rows said is gone from the tables' files: they are written anew,
        which locks them meanwhile, so larger ones are only vacuumed. Where the login may, the
        write-ahead log is brought to where it can be let go of.
        """
        async with self.alone() as conn:
            row = await one(conn, "size_of", {"tables": list(tables)})
            how = b"FULL, ANALYZE" if row["bytes"] <= most_bytes else b"ANALYZE"
            for table in tables:
                await conn.execute(b"VACUUM (%s) %s" % (how, table.encode()))
            with suppress(errors.InsufficientPrivilege, errors.FeatureNotSupported):
                await conn.execute(query("end_wal_file"))
                await conn.execute(query("checkpoint"))

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        if self._vector is None:
            self._vector = await self._knock()
        async with self._pool.connection() as conn:
            if conn.adapters.types.get("vector") is None:
                register_vector_info(conn, self._vector)
            yield conn

    async def _knock(self) -> TypeInfo:
        """
        Open the pool, but connect once beside it first: a pool tries again until its time is up and
        then only says so, while a wrong password should be told at once. Vectors travel in
        binary, for which their type's number is learned here, once instead of at each connection.
        """
        async with await AsyncConnection.connect(self._url, **self._options()) as conn:
            vector = await TypeInfo.fetch(conn, "vector")
        if vector is None:
            raise SettingsInvalid("the database has no schema yet; run `magpie migrate`")
        await self._pool.open()
        return vector


def checked_address(url: str) -> str:
    """The address, where the driver can read it. Raises: SettingsInvalid, which never quotes it."""
    try:
        conninfo_to_dict(url)
    except psycopg.Error:
        # Without its cause: that one's words hold pieces of the address, perhaps the password.
        raise SettingsInvalid(
            "DATABASE_URL is no address of a Postgres database; "
            "one looks like postgresql://user:password@host:5432/name, with %40 for an @ in the password"
        ) from None
    return url


def _opening(visibilities: Iterable[Visibility], timeout_s: float) -> dict[str, str]:
    return {
        "visibilities": ",".join(sorted(visibilities)),
        "timeout_ms": str(max(1, round(timeout_s * 1000))),
    }


def _connection_died(exc: psycopg.OperationalError) -> bool:
    """Without a state of SQL it is not the server's answer; class 57P is its farewell."""
    return exc.sqlstate is None or exc.sqlstate.startswith("57P")


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Errors of the driver become ours; the cause is kept."""
    try:
        yield
    except errors.QueryCanceled as exc:
        raise DeadlineExceeded("database", f"{what} took longer than it may") from exc
    except errors.ObjectNotInPrerequisiteState as exc:
        raise OtherModel(f"{_first_line(exc)}; ask again") from exc
    except OLD_SCHEMA as exc:
        raise SettingsInvalid(f"the schema is not ours ({_first_line(exc)}); run `magpie migrate`") from exc
    except errors.InsufficientPrivilege as exc:
        raise SettingsInvalid(
            f"the login may not ({_first_line(exc)}); run `magpie migrate` as the owner"
        ) from exc
    except (psycopg.DataError, UnicodeEncodeError) as exc:
        raise CorpusInvalid(f"{what}: the database refuses the data: {_first_line(exc)}") from exc
    except (psycopg.OperationalError, PoolTimeout, PoolClosed, psycopg.InterfaceError) as exc:
        raise DatabaseUnavailable(f"the database can't be used now: {_first_line(exc)}") from exc


def _first_line(exc: BaseException) -> str:
    return (str(exc).splitlines() or [type(exc).__name__])[0]


async def one(conn: Connection, name: str, arguments: Mapping[str, Any] | None = None) -> DictRow:
    """The row of a query that has one by construction."""
    return await row_of(conn, query(name), arguments)


async def row_of(conn: Connection, statement: bytes, arguments: Mapping[str, Any] | None = None) -> DictRow:
    """The row of a statement that has one by construction."""
    row = await (await conn.execute(statement, arguments)).fetchone()
    if row is None:
        raise AssertionError(f"no row from: {statement.decode()}")
    return row


def to_database(vector: Vector | None) -> PgVector | None:
    """A vector as the driver sends it."""
    return None if vector is None else PgVector(list(vector))


def from_database(vector: PgVector) -> Vector:
    """A vector as we know it; the database keeps single precision."""
    return tuple(vector.to_list())
