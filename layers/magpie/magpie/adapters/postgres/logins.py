"""The login that a deployment's functions use: it may take our roles and owns nothing."""

from typing import Any

from psycopg import AsyncConnection, sql
from psycopg.rows import dict_row

from magpie.adapters.postgres.pool import CONNECT_TIMEOUT_S, one, translated

ROLES = ("magpie_reader", "magpie_writer", "magpie_recorder", "magpie_keeper")
MAINTAIN_SINCE = 170_000


async def make_login(url: str, name: str, password: str) -> None:
    """
    Make the login, or give the one that is there this password; again and again does no harm. The
    login at `url` may create roles, and the schema is ours already.

    The password itself never reaches the server, whose log may keep statements: only what
    SCRAM makes of it. Raises: DatabaseUnavailable, SettingsInvalid.
    """
    with translated("making the functions' login"):
        options: dict[str, Any] = {"autocommit": True, "prepare_threshold": None, "row_factory": dict_row}
        async with (
            await AsyncConnection.connect(url, connect_timeout=CONNECT_TIMEOUT_S, **options) as conn,
            conn.transaction(),
        ):
            verifier = conn.pgconn.encrypt_password(
                password.encode(), name.encode(), b"scram-sha-256"
            ).decode()
            known = (await one(conn, "login_known", {"name": name}))["known"]
            verb = sql.SQL("ALTER" if known else "CREATE")
            login = sql.Identifier(name)
            await conn.execute(
                sql.SQL("{} ROLE {} LOGIN PASSWORD {}").format(verb, login, sql.Literal(verifier))
            )
            roles = sql.SQL(", ").join(map(sql.Identifier, ROLES))
            await conn.execute(sql.SQL("GRANT {} TO {} WITH INHERIT FALSE, SET TRUE").format(roles, login))
            if conn.info.server_version >= MAINTAIN_SINCE:  # vacuuming after a publish keeps searches whole
                await conn.execute(sql.SQL("GRANT pg_maintain TO {} WITH INHERIT TRUE").format(login))
