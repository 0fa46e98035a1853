"""Packages as `make build` makes them, from what is installed here: for tests that import them."""

import os
import shutil
import sys
from importlib import metadata
from importlib.util import cache_from_source
from pathlib import Path

from infra.aws.build import build
from infra.aws.pins import PIN


def lambda_folders(folder: Path, without: tuple[str, ...] = ()) -> tuple[Path, Path]:
    """
    What a function finds at `/var/task` and, its layers laid over each other, at `/opt`; made of a
    build whose packages are those of this Python. `without` names layers that it has not.
    """
    built = build(folder / "build", installed_here, None, lambda _: None)
    opt = folder / "opt"
    for layer in sorted((built.folder / "layers").iterdir()):
        if layer.name in without:
            continue
        shutil.copytree(layer, opt, dirs_exist_ok=True, copy_function=_linked)
    return built.folder / "functions", opt


def bare_python(folder: Path) -> Path:
    """A folder for PATH whose `python` knows the standard library and PYTHONPATH, and no package of ours."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "python"
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -S \"$@\"\n", encoding="utf-8")
    program.chmod(0o755)
    return folder


def installed_here(pins: str, folder: Path) -> None:
    """
    An installer for `build`: the files of the pinned packages, as this Python has them. Linked one by
    one where that can be done, so that what a build takes away is only the link.
    """
    for line in pins.splitlines():
        name = PIN.match(line)
        if name and _is_here(name[1]):
            _install(metadata.distribution(name[1]), folder)


def _is_here(name: str) -> bool:
    """A pin may be for other Pythons only; a missing package shows when something imports it."""
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _install(distribution: metadata.Distribution, folder: Path) -> None:
    for file in distribution.files or ():
        source, target = Path(str(distribution.locate_file(file))), folder / file
        if ".." in file.parts or file.suffix == ".pyc" or not source.is_file() or target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        _linked(source, target)
        _link_byte_code(source, target)


def _link_byte_code(source: Path, target: Path) -> None:
    """What this Python compiled before, so that not every test compiles a thousand modules again."""
    if source.suffix != ".py":
        return
    known, wanted = Path(cache_from_source(str(source))), Path(cache_from_source(str(target)))
    if known.exists():
        wanted.parent.mkdir(exist_ok=True)
        _linked(known, wanted)


def _linked(source: str | Path, target: str | Path) -> str | Path:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target
