"""One server a state folder: the port it takes, and how others find it."""

import contextlib
import errno
import fcntl
import socket
from collections.abc import Iterator, Mapping
from typing import IO

from infra.local.problems import LocalProblem
from infra.local.state import State, opened, try_lock

HOST = "127.0.0.1"
USUAL_PORT = 8400


def bound_socket(env: Mapping[str, str]) -> socket.socket:
    """
    A listening place on the loopback: `PORT` where it is set, else the usual port or a free one.

    Raises: LocalProblem when `PORT` is no port or is taken.
    """
    wanted = env.get("PORT", "").strip()
    if not wanted:
        return _bind_any((USUAL_PORT, 0))
    if not wanted.isdigit() or not 0 <= int(wanted) <= 65535:
        raise LocalProblem(f"PORT must be a number from 1 to 65535, not {wanted!r}")
    try:
        return _bind(int(wanted))
    except OSError as exc:
        raise LocalProblem(_why_not(int(wanted), exc)) from exc


def _why_not(port: int, exc: OSError) -> str:
    if exc.errno == errno.EADDRINUSE:
        return f"port {port} is taken by another program; choose another (PORT={port + 1}) or leave PORT out"
    if exc.errno == errno.EACCES:
        return f"port {port} is only for root; choose one from 1024 on, for instance PORT=8080"
    return f"port {port} can't be used ({exc.strerror}); choose another, for instance PORT=8080"


def _bind_any(ports: tuple[int, ...]) -> socket.socket:
    for port in ports[:-1]:
        with contextlib.suppress(OSError):
            return _bind(port)
    return _bind(ports[-1])


def _bind(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def address_of(listener: socket.socket) -> str:
    """The address to open in a browser."""
    return f"http://{HOST}:{listener.getsockname()[1]}"


# --- One at a time ----------------------------------------------------------------------------


@contextlib.contextmanager
def only_server(state: State) -> Iterator[IO[str]]:
    """
    Be the one server of this folder. Write the address into what is yielded.

    Raises: LocalProblem with the address of the one that runs already.
    """
    with opened(state.serve_lock) as file:
        if not try_lock(file, fcntl.LOCK_EX):
            raise LocalProblem(
                f"the demo already runs from this folder{_at(_content(file))}; open that, stop it with "
                "Ctrl-C "
                "where it runs, or start a second one with a folder of its own: MAGPIE_STATE=/some/folder"
            )
        file.truncate(0)
        yield file
        file.truncate(0)


def announce(file: IO[str], address: str) -> None:
    """Tell other processes of this folder where the server is."""
    file.truncate(0)
    file.write(address)
    file.flush()


def address_of_running_server(state: State) -> str:
    """The address of this folder's server; empty where none runs."""
    if not state.serve_lock.exists():
        return ""
    with opened(state.serve_lock) as file:
        if try_lock(file, fcntl.LOCK_SH):
            return ""
        return _content(file) or "it is starting"


def _content(file: IO[str]) -> str:
    file.seek(0)
    return file.read().strip()


def _at(address: str) -> str:
    return f" at {address}" if address.startswith("http") else ""
