"""The embedded database starts, is shared, survives kills, and stops with its last user."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest

from infra.local import postgres
from infra.local.account import database_account
from infra.local.problems import LocalProblem
from infra.local.stack import database_name, embedded_database, ensure_database
from infra.local.state import ROOT, State, open_state

USER = """
import os, sys
from infra.local.stack import embedded_database
from infra.local.state import open_state
with embedded_database(open_state(os.environ)) as server:
    print(server.pid, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory) -> State:
    """One data folder for the module: making it takes a second."""
    return open_state({"MAGPIE_STATE": str(tmp_path_factory.mktemp("postgres") / "state")})


def other_process(state: State) -> subprocess.Popen[str]:
    """Another command that uses the database until its input ends."""
    env = {
        **os.environ,
        "MAGPIE_STATE": str(state.folder),
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/layers/magpie",
    }
    return subprocess.Popen(
        [sys.executable, "-c", USER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=env,
        cwd=ROOT,
    )


def is_up(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_a_database_a_site_with_vectors(state: State) -> None:
    """
    A site's database is made once, found again, and has pgvector.
    """
    with embedded_database(state) as server:
        url = ensure_database(server, database_name("my-site"))
        assert ensure_database(server, "magpie_my_site") == url

        with psycopg.connect(url) as connection:
            connection.execute("CREATE EXTENSION vector")
            distance = connection.execute("SELECT '[1,0]'::vector <=> '[0,1]'::vector").fetchone()

    assert distance == (1.0,)
    assert not is_up(server.pid)


def test_letters_of_every_language_are_letters(state: State) -> None:
    """
    Case and word boundaries hold outside ASCII, whatever the machine's locale.
    """
    with embedded_database(state) as server, psycopg.connect(server.url("postgres")) as connection:
        row = connection.execute(
            "SELECT lower('ĐƯỜNG ÀÉ'), to_tsvector('russian', 'Дома') @@ to_tsquery('russian', 'дом')"
        )

        assert row.fetchone() == ("đường àé", True)


def test_it_listens_on_no_network_and_lets_no_other_user_in(state: State) -> None:
    """
    No TCP port; the socket's folder admits its owner alone.
    """
    with embedded_database(state) as server, psycopg.connect(server.url("postgres")) as connection:
        addresses = connection.execute("SHOW listen_addresses").fetchone()

        assert addresses == ("",)
        assert server.sockets.stat().st_mode & 0o077 == 0


def test_it_stays_while_someone_uses_it(state: State) -> None:
    """
    Two processes share one server; it stops when the second leaves, not when the first does.
    """
    with embedded_database(state) as server:
        other = other_process(state)
        assert int(other.stdout.readline()) == server.pid

    assert is_up(server.pid)
    other.communicate("\n", timeout=120)
    assert not is_up(server.pid)


def test_a_killed_user_leaves_a_server_that_the_next_one_takes(state: State) -> None:
    """
    After `kill -9` the server still runs; the next start says so, uses it, and stops it in the end.
    """
    with other_process(state) as killed:
        pid = int(killed.stdout.readline())
        killed.send_signal(signal.SIGKILL)
    assert is_up(pid)
    said: list[str] = []

    with embedded_database(state, said.append) as server:
        assert server.pid == pid

    assert any(f"process {pid}" in sentence for sentence in said)
    assert not is_up(pid)


def test_a_killed_server_starts_again(state: State) -> None:
    """
    A server that was killed outright leaves its pid file; the next start recovers the data.
    """
    with embedded_database(state) as server:
        url = ensure_database(server, "kept")
        psutil.Process(server.pid).kill()

    with embedded_database(state) as server, psycopg.connect(url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_pid_file_of_another_program_is_seen_through(state: State) -> None:
    """
    A stale pid file whose number a living program has now does not stop the start, and that program lives on.
    """
    stranger = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    pid_file = state.postgres / "data" / "postmaster.pid"
    pid_file.write_text(f"{stranger.pid}\n{pid_file.parent}\n1\n5432\n/tmp\n\n  1 1\nready   \n")

    with embedded_database(state) as server:
        assert server.pid != stranger.pid

    assert stranger.poll() is None
    stranger.communicate()


def test_a_start_that_was_killed_half_way_is_made_anew(tmp_path: Path) -> None:
    """
    A data folder that was begun and not finished is no data folder.
    """
    state = open_state({"MAGPIE_STATE": str(tmp_path / "s")})
    half = state.postgres / "data.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")

    with embedded_database(state) as server, psycopg.connect(server.url("postgres")) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_data_of_another_release_are_named(state: State, tmp_path: Path) -> None:
    """
    Data that another major version made are left alone; the sentence says how to begin anew.
    """
    other = open_state({"MAGPIE_STATE": str(tmp_path / "s")})
    (other.postgres / "data").mkdir(parents=True)
    (other.postgres / "data" / "PG_VERSION").write_text("12\n")

    with pytest.raises(LocalProblem, match=r"made by Postgres 12 .* `make clean`"), embedded_database(other):
        pass


def test_data_that_are_damaged_are_named(state: State, tmp_path: Path) -> None:
    """
    A server that can't start says why, where its log is, and nothing is left running.
    """
    other = open_state({"MAGPIE_STATE": str(tmp_path / "s")})
    with embedded_database(other):
        pass
    (other.postgres / "data" / "postgresql.conf").write_text("nonsense = 'yes'\n")

    with (
        pytest.raises(LocalProblem, match=r"did not start: .*postgresql\.conf.* contains errors \(log: "),
        embedded_database(other),
    ):
        pass

    assert postgres.running_server(other.postgres) is None


def test_a_deep_folder_gets_a_short_socket(tmp_path: Path) -> None:
    """
    A path that is too long for a Unix socket is no obstacle; the socket's folder goes when the server does.
    """
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    state = open_state({"MAGPIE_STATE": str(deep)})

    with embedded_database(state) as server:
        with psycopg.connect(server.url("postgres")) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert not server.sockets.is_relative_to(deep)

    assert not server.sockets.exists()


NEW_USER = """
import sys
from infra.local.account import database_account
sys.stdin.readline()
print(database_account(sys.argv[1]).pw_uid)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives the database a user of its own")
def test_first_starts_at_once_make_one_user() -> None:
    """On a machine where no database ever ran, processes that start together get the same new user."""
    database_account()  # the real one is made before: the list of users is no place for two changes at once
    user = f"magpie_test_{os.getpid()}"
    command = [sys.executable, "-c", NEW_USER, user]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for _ in range(5)
    ]
    try:
        for process in started:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        told = [process.communicate()[0].strip() for process in started]
    finally:
        subprocess.run(["userdel", user], check=False, capture_output=True)

    assert len(set(told)) == 1
    assert told[0].isdigit()
