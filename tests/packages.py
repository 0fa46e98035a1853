"""Packages as `make build` makes them, from what is installed here: for tests that import them."""

import os
import shutil
from importlib import metadata
from pathlib import Path

from infra.aws.pins import PIN


def installed_here(pins: str, folder: Path) -> None:
    """
    An installer for `build`: the files of the pinned packages, as this Python has them. Linked one by
    one where that can be done, so that what a build takes away is only the link.
    """
    for line in pins.splitlines():
        name = PIN.match(line)
        if name and _is_here(name[1]):
            _link(metadata.distribution(name[1]), folder)


def _is_here(name: str) -> bool:
    """A pin may be for other Pythons only; a missing package shows when something imports it."""
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _link(distribution: metadata.Distribution, folder: Path) -> None:
    for file in distribution.files or ():
        source, target = Path(str(distribution.locate_file(file))), folder / file
        if ".." in file.parts or file.suffix == ".pyc" or not source.is_file() or target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)
