"""
`make build`: the packages that template.yaml names, in `build/`.

    build/functions/              every function's code, and the widget that one of them serves
    build/layers/requirements/    the pinned packages, for Lambda's processor, not this machine's
    build/layers/documents/       what only functions that read documents need
    build/layers/magpie/          the pipeline core
    build/layers/sql/             migrations and queries

The same tree and pins give the same files, so that what did not change is not uploaded again.
Byte code needs the very Python that Lambda runs; without one the packages are whole but slower
to start, and the build says so.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.aws.pins import layers
from infra.aws.trimming import trim
from infra.local.problems import LocalProblem
from infra.local.state import ROOT

BUILD = ROOT / "build"
PYTHON = "3.13"
PLATFORMS = {"arm64": "aarch64-manylinux_2_28", "x86_64": "x86_64-manylinux_2_28"}
"""Lambda's Python 3.13 runs on Amazon Linux 2023, whose C library is 2.34."""

LIMIT_MB = 250
"""Of a function unzipped, its layers included; AWS counts a MB as 2**20."""

ADAPTER_MB = 12
"""What the Lambda Web Adapter's layer may take of it."""

IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")

Say = Callable[[str], None]
Installer = Callable[[str, Path], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What was made: MB of each part, and whether it has byte code."""

    folder: Path
    sizes_mb: Mapping[str, float]
    has_byte_code: bool

    @property
    def largest_function_mb(self) -> float:
        """The heaviest function: code with all layers."""
        return sum(self.sizes_mb.values())


def build(folder: Path, install: Installer, compiler: str | None, say: Say) -> Built:
    """
    Make everything anew in `folder`. `install` puts pinned packages into a folder, `compiler` is a
    Python of Lambda's version or None.

    Raises: LocalProblem when packages can't be had, or a function would be too heavy for Lambda.
    """
    _emptied(folder)
    for name, pins in layers(ROOT / "requirements").items():
        say(f"Installing the layer {name}")
        python = folder / "layers" / name / "python"
        install(pins, python)
        trim(python)
    _copy(ROOT / "layers/magpie/magpie", folder / "layers/magpie/python/magpie")
    _copy(ROOT / "sql", folder / "layers/sql/sql")
    _copy(ROOT / "functions", folder / "functions/functions")
    _copy(ROOT / "widget", folder / "functions/widget")
    if compiler:
        say("Compiling byte code")
        _compile(folder, compiler)
    built = Built(folder=folder, sizes_mb=_sizes(folder), has_byte_code=compiler is not None)
    if built.largest_function_mb + ADAPTER_MB > LIMIT_MB:
        raise LocalProblem(
            f"a function with all layers weighs {built.largest_function_mb:.0f} MB, and Lambda takes {LIMIT_MB} "
            f"with the web adapter's {ADAPTER_MB}; see infra/aws/trimming.py for what may be left out"
        )
    return built


def _emptied(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=IGNORED)


def _compile(folder: Path, compiler: str) -> None:
    """Unchecked: a zip changes the times that byte code is else compared by."""
    for part, place in (
        ("functions", "/var/task"),
        *((f"layers/{name}", "/opt") for name in _layers(folder)),
    ):
        command = [
            compiler, "-m", "compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash",
            "-s", str(folder / part), "-p", place, str(folder / part),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LocalProblem(f"{part} could not be compiled: {(done.stdout or done.stderr).strip()[:500]}")


def _layers(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "layers").iterdir())


def _sizes(folder: Path) -> dict[str, float]:
    parts = {"functions": folder / "functions"} | {name: folder / "layers" / name for name in _layers(folder)}
    return {name: _bytes(path) / 2**20 for name, path in parts.items()}


def _bytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


# --- Packages and Pythons ---------------------------------------------------------------------


def for_lambda(architecture: str) -> Installer:
    """Installs wheels of Lambda's processor and Python, whatever this machine has."""
    return _uv("--python-platform", PLATFORMS[architecture], "--python-version", PYTHON)


def for_python(interpreter: str) -> Installer:
    """Installs wheels that this interpreter can import: for measuring and trying a package here."""
    return _uv("--python", interpreter)


def _uv(*options: str) -> Installer:
    def install(pins: str, folder: Path) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
            file.write(pins)
            file.flush()
            command = [
                _uv_program(), "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:",
                "--link-mode", "copy", *options, "--target", str(folder), "--requirements", file.name,
            ]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LocalProblem(
                f"the packages of {folder.parent.name} can't be installed: {done.stderr.strip()[-800:]}"
            )

    return install


def _uv_program() -> str:
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.exists() else shutil.which("uv")
    if not found:
        raise LocalProblem("uv is not installed; `make build` brings it (requirements/tools.txt)")
    return found


def python_of_lambda(env: Mapping[str, str]) -> str | None:
    """An interpreter of Lambda's version: PYTHON313, this one, one on the path, pyenv's; None without."""
    named = env.get("PYTHON313", "")
    pyenv = sorted(
        Path(env.get("PYENV_ROOT") or Path.home() / ".pyenv").glob(f"versions/{PYTHON}*/bin/python{PYTHON}")
    )
    for name in (named, sys.executable, shutil.which(f"python{PYTHON}") or "", *map(str, pyenv)):
        if name and _version(name) == PYTHON:
            return name
    if named:
        raise LocalProblem(f"PYTHON313={named} is no Python {PYTHON}; name one, or leave it out")
    return None


def _version(interpreter: str) -> str:
    command = [interpreter, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


# --- The command ------------------------------------------------------------------------------


def main() -> int:
    """`python -m infra.aws.build`."""
    parser = argparse.ArgumentParser(
        prog="make build", description="Make what template.yaml names, in build/."
    )
    parser.add_argument("--architecture", choices=sorted(PLATFORMS), default="arm64")
    architecture = parser.parse_args().architecture
    try:
        compiler = python_of_lambda(os.environ)
        built = build(BUILD, for_lambda(architecture), compiler, say=lambda line: print(line, flush=True))
    except LocalProblem as exc:
        print(f"make build: {exc}", file=sys.stderr)
        return 1
    print("\n".join(summary(built, architecture)))
    return 0


def summary(built: Built, architecture: str) -> list[str]:
    """What was made, for people."""
    sizes = [f"  {name:<14}{size:7.1f} MB" for name, size in built.sizes_mb.items()]
    code = (
        f"Byte code of Python {PYTHON} is in it."
        if built.has_byte_code
        else f"No byte code: there is no Python {PYTHON} here (PYTHON313=... names one). Everything works, but cold "
        "starts take three to four times as long."
    )
    heaviest = (
        f"All of it together {built.largest_function_mb:.0f} MB of the {LIMIT_MB} that a function may weigh."
    )
    return [f"For {architecture}, unzipped:", *sizes, heaviest, code]


if __name__ == "__main__":
    sys.exit(main())
