"""Rows of an owner's own database: another database than Magpie's, only read from."""

import decimal
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

import psycopg
from psycopg import AsyncConnection, IsolationLevel, errors
from psycopg.rows import DictRow, dict_row

from magpie.adapters.postgres.queries import query
from magpie.errors import DocumentRefused
from magpie.site import Rows

CONNECT_TIMEOUT_S = 10


class OwnerRows:
    """`connections` are addresses by the name that a site file uses for them."""

    def __init__(self, connections: Mapping[str, str]) -> None:
        self._connections = connections

    async def pages(self, path: str, rows: Rows) -> AsyncGenerator[Sequence[Mapping[str, Any]], None]:
        """
        One snapshot, page by page.

        Raises: DocumentRefused `no_connection`, `unreachable`, `bad_query`, `too_slow`.
        """
        try:
            async with await self._connect(path, rows) as conn:
                async for page in _pages(conn, rows):
                    yield page
        except errors.QueryCanceled as exc:
            reason = f"its query takes longer than {rows.timeout_s:g} s (rows.timeout_s)"
            raise DocumentRefused(path, "too_slow", reason) from exc
        except psycopg.OperationalError as exc:
            raise DocumentRefused(
                path, "unreachable", f"its database can't be reached: {_told(exc)}"
            ) from exc
        except psycopg.Error as exc:
            raise DocumentRefused(path, "bad_query", f"its query fails: {_told(exc)}") from exc

    async def _connect(self, path: str, rows: Rows) -> AsyncConnection[DictRow]:
        url = self._connections.get(rows.connection, "")
        name = f"MAGPIE_ROWS_{rows.connection.upper()}"
        if not url:
            raise DocumentRefused(path, "no_connection", f"{name} is not set where Magpie runs")
        if not url.startswith(("postgres://", "postgresql://")):
            raise DocumentRefused(path, "no_connection", f"{name} must be the address of a Postgres database")
        return await AsyncConnection.connect(
            url,
            row_factory=dict_row,
            connect_timeout=CONNECT_TIMEOUT_S,
            prepare_threshold=None,
        )


async def _pages(
    conn: AsyncConnection[DictRow], rows: Rows
) -> AsyncGenerator[Sequence[Mapping[str, Any]], None]:
    await conn.set_read_only(True)
    await conn.set_isolation_level(IsolationLevel.REPEATABLE_READ)
    await conn.execute(query("rows_limits"), {"timeout_ms": str(int(rows.timeout_s * 1000))})
    opening = query("rows_open").replace(b"{query}", rows.query.strip().rstrip(";").encode())
    # In binary, since only then does the driver send it as a single statement.
    await conn.execute(opening, binary=True)
    following = query("rows_next").replace(b"{count}", str(rows.page).encode())
    while page := await (await conn.execute(following)).fetchall():
        yield [_plain(row) for row in page]


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in row.items() if not isinstance(value, (bytes, memoryview))}


def _value(value: Any) -> Any:
    """As JSON has it; an amount keeps its digits."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if value == value and abs(value) != float("inf") else None
        case datetime() | date() | time():
            return value.isoformat()
        case decimal.Decimal():
            return f"{value:f}" if value.is_finite() else None
        case dict():
            return {str(name): _value(item) for name, item in value.items()}
        case list() | tuple():
            return [_value(item) for item in value]
        case _:
            return str(value)


def _told(exc: psycopg.Error) -> str:
    """The server's own sentence; never the connection's address."""
    said = exc.diag.message_primary
    return said or type(exc).__name__
