"""A disk that is full in the middle of a publish: a real one, small, under one database."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
import pytest

from magpie.adapters.postgres import Database, PostgresCatalogue
from magpie.errors import MagpieError
from magpie.model import Revision
from tests.corpora import publish, revision
from tests.editions import KEPT, Reader, edition, rows, texts
from tests.integration.conftest import run_on_server, url_of

SIZE_MB = 48
FREE_KB = (0, 16, 64, 128, 256, 512, 1024, 2048)
TEXT = " ".join(f"word{number}" for number in range(2000))


@dataclass(frozen=True)
class SmallDisk:
    """A file system of its own with a database on it. `fill` leaves that much room."""

    url: str
    folder: Path

    def fill(self, free_kb: int) -> None:
        self.empty()
        space = shutil.disk_usage(self.folder).free - free_kb * 1024
        with open(self.folder / "ballast", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(1, space))

    def empty(self) -> None:
        (self.folder / "ballast").unlink(missing_ok=True)


@pytest.fixture
def small_disk(database_server_url: str, template: str) -> Iterator[SmallDisk]:
    with psycopg.connect(database_server_url) as conn:
        row = conn.execute("SHOW data_directory").fetchone()
    assert row is not None
    if not Path(row[0]).is_dir():
        pytest.skip("a full disk: the test database runs on another machine")
    owner = os.stat(row[0])
    folder = Path(tempfile.mkdtemp(prefix="magpie-small-"))
    folder.chmod(0o755)
    options = f"size={SIZE_MB}m,mode=0700,uid={owner.st_uid},gid={owner.st_gid}"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, text=True
    )
    if mounted.returncode:
        folder.rmdir()
        pytest.skip(f"a full disk: no small file system can be mounted here ({mounted.stderr.strip()})")
    try:
        run_on_server(database_server_url, f"CREATE TABLESPACE small LOCATION '{folder}'")
        run_on_server(
            database_server_url, f"CREATE DATABASE magpie_test_small TEMPLATE {template} TABLESPACE small"
        )
        yield SmallDisk(url=url_of(database_server_url, "magpie_test_small"), folder=folder)
    finally:
        with contextlib.suppress(psycopg.Error):
            run_on_server(database_server_url, "DROP DATABASE IF EXISTS magpie_test_small WITH (FORCE)")
            run_on_server(database_server_url, "DROP TABLESPACE IF EXISTS small")
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def weighty(given: int, part: int) -> Revision:
    """A page of some 20 kB; the vectors are of few words, since those take long to make."""
    light = revision(f"heavy-{given}-{part}", "few words")
    chunk = replace(light.chunks[0].chunk, content=f"{given} {part} {TEXT}")
    return replace(light, chunks=(replace(light.chunks[0], chunk=chunk),))


async def test_a_full_disk_leaves_the_active_version_whole(small_disk: SmallDisk) -> None:
    """
    With less and less room, down to none, a publish fails with our error or succeeds, and readers
    find one whole version either way; with room again the next one works and leaves no remains.
    """
    async with Database(small_disk.url, search_timeout_s=60) as database:
        await publish(database, [*edition(0), revision(KEPT, "kept words")])
        reader = Reader(database)
        number, failures = 0, 0
        for given, free_kb in enumerate(reversed(FREE_KB), start=1):
            heavy = [weighty(given, part) for part in range(12)]
            small_disk.fill(free_kb)
            try:
                await publish(database, [*edition(given), *heavy], kept=[KEPT])
                number = given
            except MagpieError:
                failures += 1
            _, found = await reader.look()
            assert found == texts(number), free_kb
        small_disk.empty()
        again = await publish(database, edition(99), kept=[KEPT])
        _, found = await reader.look()

        assert failures >= 2
        assert found == texts(99)
        assert again == await PostgresCatalogue(database).active_version()
        assert rows(small_disk.url) == (0, 0)
