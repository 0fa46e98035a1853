"""The packages for Lambda: what is in them, what is left out, what is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.aws.build import LIMIT_MB, build, python_of_lambda, summary
from infra.aws.deploy import command
from infra.aws.pins import layers, pinned
from infra.aws.trimming import trim
from infra.local.problems import LocalProblem
from infra.local.state import ROOT


def silent(_: str) -> None:
    """Says nothing."""


def nothing(_: str, folder: Path) -> None:
    """An installer of packages that are empty."""
    folder.mkdir(parents=True)


def names_in(text: str) -> set[str]:
    return {
        line.split("==")[0].split("[")[0]
        for line in text.splitlines()
        if "==" in line[:60] and line[0].isalpha()
    }


def test_layers_share_no_package_and_lose_none():
    """
    What readers of documents need is in one layer or the other, with every hash, and nothing twice.
    """
    found = layers(ROOT / "requirements")

    base, documents = (names_in(found[name]) for name in ("requirements", "documents"))
    assert base & documents == set()
    assert base | documents == set(pinned(ROOT / "requirements/documents.txt"))
    assert {"openai", "psycopg", "starlette"} <= base
    assert {"trafilatura", "pypdf", "lxml"} <= documents
    hashes = (ROOT / "requirements/documents.txt").read_text().count("--hash=sha256:")
    assert "".join(found.values()).count("--hash=sha256:") == hashes


def test_a_package_holds_all_code_and_no_leavings(tmp_path):
    """
    Functions, core, SQL and widget are where Lambda looks for them; caches and tests are not there,
    and the adapter's script may be run.
    """
    built = build(tmp_path / "out", nothing, None, silent)

    out = built.folder
    assert (out / "layers/sql/sql/roles.sql").is_file()
    assert (out / "layers/magpie/python/magpie/wiring.py").is_file()
    assert (out / "functions/widget/source/loader.js").is_file()
    assert os.access(out / "functions/functions/chat/run.sh", os.X_OK)
    assert b"\r" not in (out / "functions/functions/chat/run.sh").read_bytes()
    assert not list(out.rglob("__pycache__"))
    assert not list(out.rglob("tests"))
    assert not built.has_byte_code
    assert "No byte code" in summary(built, "arm64")[-1]


def test_the_same_tree_gives_the_same_files(tmp_path):
    """
    A second build into the same folder leaves nothing of the first, and the bytes are the same.
    """
    first = build(tmp_path / "out", nothing, None, silent)
    before = {
        path.relative_to(first.folder): path.read_bytes()
        for path in first.folder.rglob("*")
        if path.is_file()
    }
    (first.folder / "layers/magpie/python/magpie/stray.py").write_text("old")

    again = build(tmp_path / "out", nothing, None, silent)

    after = {
        path.relative_to(again.folder): path.read_bytes()
        for path in again.folder.rglob("*")
        if path.is_file()
    }
    assert before == after


def test_byte_code_is_what_lambda_reads(tmp_path):
    """
    Byte code stands beside its source, names the place on Lambda, and is not compared with times.
    """
    built = build(tmp_path / "out", nothing, sys.executable, silent)

    compiled = next((built.folder / "functions/functions/chat/__pycache__").glob("wire.*.pyc")).read_bytes()
    assert int.from_bytes(compiled[4:8], "little") == 0b01  # by hash, unchecked
    assert b"/var/task/functions/chat/wire.py" in compiled
    assert str(tmp_path).encode() not in compiled


def test_a_function_too_heavy_for_lambda_is_refused(tmp_path):
    """
    The limit is checked before anything is uploaded, and the message says both numbers.
    """

    def heavy(_: str, folder: Path) -> None:
        folder.mkdir(parents=True)
        with (folder / "model.bin").open("wb") as file:
            file.truncate(130 * 2**20)

    with pytest.raises(LocalProblem, match=rf"26\d MB.*{LIMIT_MB}"):
        build(tmp_path / "out", heavy, None, silent)


def test_trimming_takes_only_what_is_named(tmp_path):
    """
    Services and languages that nobody asks for go; what is used stays, also beside them.
    """
    kept = [
        "botocore/data/s3/x.gz",
        "botocore/data/endpoints.json",
        "babel/locale-data/root.dat",
        "a/code.py",
    ]
    gone = [
        "botocore/data/ec2/x.gz",
        "babel/locale-data/xh.dat",
        "phonenumbers/geodata/data0.py",
        "a/code.pyi",
    ]
    for name in (*kept, *gone):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    trim(tmp_path)

    assert [name for name in kept if not (tmp_path / name).exists()] == []
    assert [name for name in gone if (tmp_path / name).exists()] == []


def test_a_python_that_is_named_must_be_the_right_one(tmp_path):
    """
    PYTHON313 is taken at its word or refused; without any the build goes on without byte code.
    """
    with pytest.raises(LocalProblem, match="PYTHON313=/bin/sh"):
        python_of_lambda({"PYTHON313": "/bin/sh", "PYENV_ROOT": str(tmp_path)})


def test_deploying_without_an_account_says_so_and_changes_nothing(tmp_path):
    """
    `make deploy` on a machine without credentials ends with how to set some up, not with a traceback.
    """
    env = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/layers/magpie",
        "HOME": str(tmp_path),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_REGION": "eu-central-1",
    }
    script = """
import os
from infra.aws.deploy import account
from infra.local.problems import LocalProblem
try:
    account(os.environ)
except LocalProblem as exc:
    print(exc)
"""

    told = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False
    )

    assert "no AWS account can be used from here" in told.stdout
    assert "aws configure" in told.stdout
    assert told.stderr == ""


def test_the_first_deployment_asks_and_later_ones_confirm():
    """
    SAM asks for every parameter once; later it shows the changes and waits for a yes.
    """
    first, later = (command(Path("sam"), "eu-central-1", is_first=is_first) for is_first in (True, False))

    assert "--guided" in first
    assert "--guided" not in later
    assert "--confirm-changeset" in later
    assert all("CAPABILITY_AUTO_EXPAND" in one for one in (first, later))
