"""The functions' login, on a real server."""

import psycopg
import pytest

from magpie.adapters.postgres import Database, PostgresCatalogue, PostgresVersions
from magpie.adapters.postgres.logins import make_login
from magpie.errors import CorpusInvalid
from tests.integration.conftest import run_on_server

NAME = "magpie_test_app"


@pytest.fixture
def login(database_server_url, database_url):
    """A name to log in with, gone afterwards, and the owner's URL of a migrated database."""
    yield database_url
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute(f"DROP OWNED BY {NAME}".encode())
    run_on_server(database_server_url, f"DROP ROLE {NAME}")


def as_app(url, password):
    return psycopg.conninfo.make_conninfo(url, user=NAME, password=password)


async def test_it_publishes_and_reads_by_our_roles_alone(login):
    """
    The login may take the roles that the functions take; by itself it may read no table, make none,
    and it may vacuum.
    """
    await make_login(login, NAME, "first password")

    async with Database(as_app(login, "first password")) as database:
        with pytest.raises(CorpusInvalid, match="nothing is published"):
            await PostgresCatalogue(database).active_version()
        assert await PostgresVersions(database).active() is None
    with psycopg.connect(as_app(login, "first password"), autocommit=True) as conn:
        for statement in (
            "SELECT * FROM rag_chunks",
            "CREATE TABLE public.mine (x int)",
            "DROP TABLE rag_chunks",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(statement.encode())
        conn.execute("VACUUM rag_chunks")
        assert conn.execute(
            "SELECT rolsuper OR rolbypassrls OR rolcreaterole FROM pg_roles WHERE rolname = current_user"
        ).fetchone() == (False,)


async def test_made_again_it_has_the_new_password_and_no_more_rights(login):
    """
    A second deployment does no harm, and a password that was changed in its secret holds.
    """
    await make_login(login, NAME, "first password")
    before = rights(login)

    await make_login(login, NAME, "second password")

    with psycopg.connect(login) as conn:
        (stored,) = conn.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", (NAME,)).fetchone()
    assert rights(login) == before
    assert stored.startswith("SCRAM-SHA-256$")
    assert "password" not in stored


def rights(url):
    with psycopg.connect(url) as conn:
        return conn.execute(
            "SELECT r.rolname, m.inherit_option, m.set_option, m.admin_option FROM pg_auth_members m "
            "JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles u ON u.oid = m.member WHERE u.rolname = %s ORDER BY 1",
            (NAME,),
        ).fetchall()
