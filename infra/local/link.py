"""
Make this tree importable in the environment that runs this file, and its console scripts callable.

What an editable install does, without a build backend and without a network: one `.pth` file
names the folders, one script stands for each entry of `[project.scripts]`.
"""

import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE_ROOTS = (ROOT, ROOT / "layers" / "magpie")


def main() -> None:
    """Write the files anew; a moved tree is linked right after `make` runs again."""
    site_packages = Path(sysconfig.get_path("purelib"))
    (site_packages / "magpie.pth").write_text(
        "".join(f"{root}\n" for root in PACKAGE_ROOTS), encoding="utf-8"
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, target in project["scripts"].items():
        write_script(Path(sysconfig.get_path("scripts")) / name, target)


def write_script(path: Path, target: str) -> None:
    """A shell script, since a `#!` line may not be as long as a path can be."""
    module, function = target.split(":")
    call = f"import sys; from {module} import {function}; sys.exit({function}())"
    path.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{call}' \"$@\"\n", encoding="utf-8")
    path.chmod(0o755)


if __name__ == "__main__":
    main()
