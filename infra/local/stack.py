"""
The embedded stack as context managers: what a process enters, it leaves as it was.

Several processes may use one state folder at once (a server, a command): each holds a share of
`users.lock`, and whoever leaves last stops the database. A killed process drops its share.
"""

import contextlib
import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import IO

from infra.local import postgres
from infra.local.postgres import Say, Server
from infra.local.problems import LocalProblem
from infra.local.state import ROOT, State, exclusive, opened, try_lock

AWS_START_S = 60.0


def quiet(_: str) -> None:
    """Say nothing."""


# --- The database -----------------------------------------------------------------------------


@contextlib.contextmanager
def embedded_database(state: State, say: Say = quiet) -> Iterator[Server]:
    """The folder's database server, started if it does not run; stopped when its last user leaves."""
    share = opened(state.users_lock)
    try:
        with exclusive(state.start_lock):
            alone = try_lock(share, fcntl.LOCK_EX)
            fcntl.flock(share, fcntl.LOCK_SH)
            server = postgres.start(state.postgres, say)
        if server.adopted and alone:
            say(f"An earlier run was killed and left its database running (process {server.pid}); using it")
        yield server
    finally:
        _leave(state, share)


def _leave(state: State, share: IO[str]) -> None:
    with share, exclusive(state.start_lock):
        if not try_lock(share, fcntl.LOCK_EX):
            return
        server = postgres.running_server(state.postgres)
        if server is not None:
            postgres.stop(server)


def ensure_database(server: Server, name: str) -> str:
    """The URL of the database, made when absent."""
    import psycopg

    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone()
        if found is None:
            with contextlib.suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
    return server.url(name)


def database_name(site_key: str) -> str:
    """One database a site."""
    return "magpie_" + site_key.replace("-", "_")


# --- DynamoDB and S3 --------------------------------------------------------------------------


class Aws:
    """The stand-in's process: `address()` waits until it is up, so that other things start meanwhile."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def address(self) -> str:
        """Raises: LocalProblem when it ended instead, or took too long."""
        timer = threading.Timer(AWS_START_S, self._process.kill)
        timer.start()
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        timer.cancel()
        if not line:
            raise LocalProblem(
                "the stand-in for DynamoDB and S3 did not start; `python -m infra.local.aws_server` shows why"
            )
        return line


@contextlib.contextmanager
def local_aws() -> Iterator[Aws]:
    """The stand-in, for as long as the context lasts."""
    process = subprocess.Popen(
        [sys.executable, "-m", "infra.local.aws_server"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=_plain_env(os.environ),
        start_new_session=True,  # Ctrl-C is for us; it ends when we close its input
    )  # fmt: skip
    try:
        yield Aws(process)
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.stdout.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
        process.kill()
        process.wait()


def _plain_env(env: Mapping[str, str]) -> dict[str, str]:
    """Without AWS settings of this machine: no profile, no endpoint may reach the stand-in."""
    return {name: value for name, value in env.items() if not name.startswith("AWS_")}
