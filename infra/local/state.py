"""
The state folder: one place for everything that a run leaves behind.

    .magpie/
      postgres/         the embedded database, its log
      signing.key       signs tickets and receipts; made once, readable by its owner alone
      *.lock            held while a process lives, so a killed run leaves none behind

Locks are `flock`s: the kernel drops them with the process, and no stale file has to be judged.
"""

import contextlib
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from infra.local.problems import LocalProblem

ROOT = Path(__file__).resolve().parents[2]
NEEDED_MB = 300  # a new database takes 70 MB, the demo sites less than that again
LOCK_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class State:
    """The folder and the names in it."""

    folder: Path

    @property
    def postgres(self) -> Path:
        return self.folder / "postgres"

    @property
    def start_lock(self) -> Path:
        """Held while the database is started or stopped."""
        return self.folder / "start.lock"

    @property
    def users_lock(self) -> Path:
        """Held, shared, by every process that uses the database."""
        return self.folder / "users.lock"

    @property
    def serve_lock(self) -> Path:
        """Held by the one server of this folder; its content is that server's address."""
        return self.folder / "serve.lock"

    @property
    def signing_key(self) -> Path:
        return self.folder / "signing.key"


def open_state(env: Mapping[str, str]) -> State:
    """
    The state folder, made when absent: `MAGPIE_STATE`, else `.magpie` in the project.

    Raises: LocalProblem when it can't be made or the disk is full.
    """
    folder = Path(env.get("MAGPIE_STATE") or ROOT / ".magpie").expanduser().resolve()
    try:
        # Others may pass through (the database may run as a user of its own) but see no names.
        folder.mkdir(parents=True, exist_ok=True, mode=0o711)
        (folder / "probe").write_bytes(b"")
        (folder / "probe").unlink()
    except OSError as exc:
        raise LocalProblem(
            f"the state folder {folder} can't be written ({exc.strerror}); "
            "make it writable, or name another: MAGPIE_STATE=/some/folder"
        ) from exc
    return State(folder)


def demand_space(folder: Path, needed_mb: int = NEEDED_MB) -> None:
    """Raises: LocalProblem when less is free than a new database needs."""
    free_mb = shutil.disk_usage(folder).free // 2**20
    if free_mb < needed_mb:
        raise LocalProblem(
            f"only {free_mb} MB are free where {folder} lies and a new database needs {needed_mb}; "
            "free some, or name a folder on another disk: MAGPIE_STATE=/some/folder"
        )


def signing_key(state: State) -> str:
    """The key of this folder, made at the first call."""
    with contextlib.suppress(FileExistsError):
        handle = os.open(state.signing_key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
    key = state.signing_key.read_text(encoding="ascii").strip()
    if len(key) < 32:
        raise LocalProblem(
            f"{state.signing_key} holds no whole key; remove it, and the next start makes a new one"
        )
    return key


# --- Locks ------------------------------------------------------------------------------------


@contextlib.contextmanager
def exclusive(path: Path, patience_s: float = LOCK_PATIENCE_S) -> Iterator[None]:
    """Alone with what the file stands for. Raises: LocalProblem when another process keeps it too long."""
    with opened(path) as file:
        end = time.monotonic() + patience_s
        while not try_lock(file, fcntl.LOCK_EX):
            if time.monotonic() > end:
                raise LocalProblem(
                    f"another command has held {path} for over {patience_s:.0f} s; "
                    f"see which with `fuser {path}`, let it finish or stop it, then try again"
                )
            time.sleep(0.05)
        yield


def opened(path: Path) -> IO[str]:
    """The lock file, open for reading and writing, its content kept."""
    return open(path, "a+", encoding="utf-8")


def try_lock(file: IO[str], kind: int) -> bool:
    """Whether the lock could be had at once; `kind` is `fcntl.LOCK_EX` or `fcntl.LOCK_SH`."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
