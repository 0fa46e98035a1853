"""One server a state folder, on a port that is free, with sentences that help."""

import fcntl
import os
import socket
import stat
from pathlib import Path

import pytest

from infra.local.problems import LocalProblem
from infra.local.serving import address_of, address_of_running_server, announce, bound_socket, only_server
from infra.local.state import demand_space, exclusive, open_state, opened, signing_key, try_lock


@pytest.fixture
def state(tmp_path):
    return open_state({"MAGPIE_STATE": str(tmp_path / "state")})


def test_a_taken_port_is_named_with_a_way_on() -> None:
    """
    PORT that another program has: a sentence that names it and another one to try.
    """
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]

        with pytest.raises(LocalProblem, match=rf"port {taken} is taken .*PORT={taken + 1}"):
            bound_socket({"PORT": str(taken)})


@pytest.mark.parametrize("nonsense", ["http", "-1", "70000", "80 80"])
def test_a_port_that_is_none_is_refused(nonsense: str) -> None:
    """
    PORT must be a port number; anything else is named as it was given.
    """
    with pytest.raises(LocalProblem, match="PORT must be a number"):
        bound_socket({"PORT": nonsense})


def test_without_a_port_two_servers_get_two_addresses() -> None:
    """
    Where no port is wished, a free one is found, also when the usual one is taken.
    """
    with bound_socket({}) as first, bound_socket({}) as second:
        assert address_of(first) != address_of(second)


def test_a_second_server_is_told_where_the_first_one_is(state) -> None:
    """
    One server a state folder; who starts another learns the address of the one that runs.
    """
    with only_server(state) as place:
        announce(place, "http://127.0.0.1:8400")

        with (
            pytest.raises(LocalProblem, match=r"already runs .* at http://127\.0\.0\.1:8400"),
            only_server(state),
        ):
            pass

        assert address_of_running_server(state) == "http://127.0.0.1:8400"


def test_a_killed_server_leaves_no_lock_behind(state) -> None:
    """
    The lock ends with its process; the address that a killed one left in the file is not believed.
    """
    child = os.fork()
    if child == 0:
        place = opened(state.serve_lock)
        try_lock(place, fcntl.LOCK_EX)
        announce(place, "http://127.0.0.1:1")
        os._exit(9)
    os.waitpid(child, 0)

    assert state.serve_lock.read_text() == "http://127.0.0.1:1"
    assert address_of_running_server(state) == ""
    with only_server(state):
        assert state.serve_lock.read_text() == ""


def test_the_signing_key_is_made_once_and_kept_to_its_owner(state) -> None:
    """
    The same key at every start, 64 hexadecimal characters, readable by no one else.
    """
    first, second = signing_key(state), signing_key(state)

    assert first == second
    assert len(bytes.fromhex(first)) == 32
    assert stat.S_IMODE(state.signing_key.stat().st_mode) == 0o600


def test_a_half_written_key_is_named(state) -> None:
    """
    A key file that a full disk cut short is not used; the sentence says what to remove.
    """
    state.signing_key.write_text("abc")

    with pytest.raises(LocalProblem, match=r"signing\.key holds no whole key; remove it"):
        signing_key(state)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """
    A state folder inside a file can't be: the sentence names it and how to choose another.
    """
    (tmp_path / "file").write_text("")

    with pytest.raises(LocalProblem, match=r"file/state can't be written .* MAGPIE_STATE="):
        open_state({"MAGPIE_STATE": str(tmp_path / "file" / "state")})


def test_a_disk_without_room_is_named(tmp_path: Path) -> None:
    """
    Too little space is told before a database is begun, with what is free and what is needed.
    """
    with pytest.raises(LocalProblem, match=r"only \d+ MB are free .* needs 1000000000"):
        demand_space(tmp_path, needed_mb=10**9)


def test_a_lock_that_is_kept_too_long_is_named(tmp_path: Path) -> None:
    """
    Waiting for another command ends with its lock's name and how to see who holds it.
    """
    lock = tmp_path / "start.lock"
    with (
        exclusive(lock),
        pytest.raises(LocalProblem, match=r"fuser .*start\.lock"),
        exclusive(lock, patience_s=0.1),
    ):
        pass
