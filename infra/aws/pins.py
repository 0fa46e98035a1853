"""Which pinned packages go into which layer: a layer holds what the one below has not."""

import re
from collections.abc import Mapping
from pathlib import Path

PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==")


def pinned(file: Path) -> Mapping[str, str]:
    """The pins of a requirements file, by package: all lines of each, hashes and markers included."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in file.read_text(encoding="utf-8").splitlines():
        start = PIN.match(line)
        name = start[1].lower() if start else name
        if name and not line.lstrip().startswith("#"):
            found.setdefault(name, []).append(line)
    return {name: "\n".join(lines).rstrip() + "\n" for name, lines in found.items()}


def layers(folder: Path) -> Mapping[str, str]:
    """Text of a requirements file for each layer of packages, from `requirements/*.txt`."""
    base, whole = pinned(folder / "runtime.txt"), pinned(folder / "documents.txt")
    return {
        "requirements": "".join(base.values()),
        "documents": "".join(text for name, text in whole.items() if name not in base),
    }
