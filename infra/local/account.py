"""
Who the database runs as. Postgres refuses root; so for root it gets a user of its own.

Nothing here does anything for ordinary users.
"""

import fcntl
import os
import pwd
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from infra.local.problems import LocalProblem

USER = "magpie_postgres"


def database_account(user: str = USER) -> pwd.struct_passwd | None:
    """
    The account that the database runs as; None: as whoever calls.

    Of processes that start together one makes it. Raises: LocalProblem when we are root and no
    such user can be made.
    """
    if os.geteuid() != 0:
        return None
    return _known(user) or _make_once(user)


def _known(user: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(user)
    except KeyError:
        return None


def _make_once(user: str) -> pwd.struct_passwd:
    with Path("/etc/passwd").open("rb") as users:  # useradd locks it by other means
        fcntl.flock(users, fcntl.LOCK_EX)
        return _known(user) or _make(user)


def _make(user: str) -> pwd.struct_passwd:
    command = [
        "useradd",
        "--system",
        "--no-create-home",
        "--home-dir",
        "/nonexistent",
        "--shell",
        "/bin/false",
    ]
    try:
        subprocess.run([*command, user], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as exc:
        why = getattr(exc, "stderr", "") or str(exc)
        raise LocalProblem(
            f"Postgres does not run as root, and the user {user} could not be made ({why.strip()}); "
            "run as an ordinary user, or name a database: DATABASE_URL=postgresql://..."
        ) from exc
    return pwd.getpwnam(user)


def running_as(account: pwd.struct_passwd | None) -> dict[str, Any]:
    """Arguments for `subprocess` that start a program as the account."""
    if account is None:
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def give(folder: Path, account: pwd.struct_passwd | None) -> None:
    """The folder becomes the account's own."""
    if account is not None:
        os.chown(folder, account.pw_uid, account.pw_gid)


def let_through(path: Path, account: pwd.struct_passwd | None) -> tuple[Path, ...]:
    """
    Let the account pass through the folders above the path: the search bit, never the right to
    list or read. Returns those that were changed, so that it can be said.
    """
    if account is None:
        return ()
    closed = tuple(folder for folder in path.parents if not _may_pass(folder, account))
    for folder in closed:
        folder.chmod(stat.S_IMODE(folder.stat().st_mode) | stat.S_IXOTH)
    return closed


def let_read(tree: Path, account: pwd.struct_passwd | None) -> None:
    """Programs that were installed under a strict umask become usable for the account."""
    if account is None:
        return
    for path in _tree(tree):
        mode = stat.S_IMODE(path.stat().st_mode)
        wanted = mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0)
        if mode != wanted:
            path.chmod(wanted)


def _tree(top: Path) -> Iterator[Path]:
    yield top
    for path in top.rglob("*"):
        if not path.is_symlink():
            yield path


def _may_pass(folder: Path, account: pwd.struct_passwd) -> bool:
    info = folder.stat()
    if info.st_uid == account.pw_uid:
        return bool(info.st_mode & stat.S_IXUSR)
    if info.st_gid == account.pw_gid:
        return bool(info.st_mode & stat.S_IXGRP)
    return bool(info.st_mode & stat.S_IXOTH)
