"""What becomes of a command whose output can't be written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READ = [sys.executable, "-m", "cli", "read"]
ENV = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'layers' / 'magpie'}"}


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "page.md"
    file.write_text("# Pots\n\nThey are fired.\n", encoding="utf-8")
    return file


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here, so a full disk is not tried")
def test_a_full_disk_is_a_sentence(page: Path) -> None:
    """
    What can't be written is told on standard error, and the command failed.
    """
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*READ, page], stdout=full, stderr=subprocess.PIPE, text=True, env=ENV, check=False
        )

    assert done.returncode == 1
    assert done.stderr.startswith("magpie: the machine refuses (No space left on device)")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="only here can a process be started without standard output")
def test_a_closed_output_is_no_error(page: Path) -> None:
    """
    Who wants no output (`>&-`) gets none, and no trace either.
    """
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *READ, str(page)]

    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, env=ENV, check=False)

    assert (done.returncode, done.stderr) == (0, "")
