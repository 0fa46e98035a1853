"""
What no function ever opens is taken out of the layers, since a function with its layers may weigh
250 MB unzipped, and all of it is fetched at a cold start.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

SERVICES = {"dynamodb", "events", "s3", "scheduler", "secretsmanager", "sqs", "stepfunctions", "sts"}
"""What our adapters call, or a test of the built package does. boto3 brings 449 services."""

LOCALES = {"root.dat", "en.dat", "en_US.dat"}
"""`courlan` asks babel only for names in English; babel brings every language's, 35 MB."""

UNUSED = (
    "phonenumbers/geodata",  # where a number is from; we ask whether it is one
    "phonenumbers/carrierdata",
    "phonenumbers/tzdata",
    "google/genai/tests",
    "bin",  # console scripts of packages
)


def trim(python: Path) -> None:
    """Take out of a layer's `python` folder what is named here. Each name is absent or gone afterwards."""
    for path in (*_unused(python), *_services(python), *_locales(python)):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in list(python.rglob("*.pyi")):
        path.unlink()


def _unused(python: Path) -> Iterator[Path]:
    yield from (python / name for name in UNUSED if (python / name).exists())


def _services(python: Path) -> Iterator[Path]:
    data = python / "botocore" / "data"
    yield from (path for path in _children(data) if path.is_dir() and path.name not in SERVICES)


def _locales(python: Path) -> Iterator[Path]:
    data = python / "babel" / "locale-data"
    yield from (path for path in _children(data) if path.suffix == ".dat" and path.name not in LOCALES)


def _children(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
