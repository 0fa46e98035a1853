"""What passes between the steps of a run on AWS, as values; and files in batches."""

import base64
import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from magpie.ingesting.files import FileRead
from magpie.ingesting.looking import MEGABYTE, Found, Look
from magpie.ingesting.reading import BY_ENDING, LONG_BYTES
from magpie.model import (
    Chunk,
    Notice,
    Refusal,
    Selection,
    SourceKey,
    StoredSource,
    Vector,
    VersionId,
)
from magpie.site import Chunking

SANDBOX_S = 60.0  # its patience with one file on a busy machine
FILE_S = 0.5  # a read over the network and some text
MEGABYTE_S = 20.0
BATCH_S = 600.0  # of the 900 that a function may take
BATCH_BYTES = 2 * MEGABYTE
BATCH_FILES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """
    What a look at the corpus found to do, on top of version `parent`; `sizes` are the numbers of
    files in the batches. The rest is the look itself.
    """

    round: int
    parent: VersionId | None
    sizes: tuple[int, ...]
    selection: Selection
    paths: tuple[str, ...]
    refused: tuple[Refusal, ...]
    ignored: int

    def to_look(self) -> Look:
        """The look, its files left in the batches."""
        return Look(
            found=(),
            paths=frozenset(self.paths),
            selection=self.selection,
            refused=self.refused,
            ignored=self.ignored,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFile:
    """A file to read, with what the active version has of it."""

    path: str
    size: int
    stored: tuple[StoredSource, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Files to read."""

    selection: Selection
    files: tuple[BatchFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRead:
    """What they hold."""

    files: tuple[FileRead, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChunks:
    """One source, cut. Two records of a file may say that they are the same; their content tells."""

    path: str
    key: SourceKey
    content_hash: str
    chunking: Chunking
    chunks: tuple[Chunk, ...]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchChunks:
    """The new sources of a batch, cut."""

    sources: tuple[SourceChunks, ...]

    @property
    def chunks(self) -> tuple[tuple[Chunk, Chunking], ...]:
        """All of them, in order, with what they were cut by."""
        return tuple((chunk, source.chunking) for source in self.sources for chunk in source.chunks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """
    Vectors of some chunks, in order, each packed; None where an index has none. With them the
    questions that were embedded with each. `embedded` texts were new to the models.
    """

    questions: tuple[tuple[str, ...], ...]
    primary: tuple[str | None, ...]
    fallback: tuple[str | None, ...]
    embedded: int
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchEnd:
    """All chunks of a batch have their vectors, in so many pieces."""

    pieces: int


def batches(found: Sequence[Found]) -> Iterator[tuple[Found, ...]]:
    """Files in order, as many together as one function surely reads in its time."""
    batch: list[Found] = []
    for one in found:
        if batch and not _has_room(batch, one):
            yield tuple(batch)
            batch = []
        batch.append(one)
    if batch:
        yield tuple(batch)


def _has_room(batch: Sequence[Found], one: Found) -> bool:
    return (
        len(batch) < BATCH_FILES
        and sum(other.size for other in batch) + one.size <= BATCH_BYTES
        and sum(map(_longest_s, batch)) + _longest_s(one) <= BATCH_S
    )


def _longest_s(one: Found) -> float:
    ending = one.path.rpartition(".")[2].lower()
    kinds = {BY_ENDING.get(ending, ""), *(rule.reader for rule in one.rules)}
    if "pdf" in kinds or any(one.size >= LONG_BYTES.get(kind, math.inf) for kind in kinds):
        return SANDBOX_S
    return FILE_S + MEGABYTE_S * one.size / MEGABYTE


def packed(vector: Vector | None) -> str | None:
    """A vector in single precision, as the database keeps it."""
    return None if vector is None else base64.b64encode(array("f", vector).tobytes()).decode()


def unpacked(text: str | None) -> Vector | None:
    """The vector again."""
    return None if text is None else tuple(array("f", base64.b64decode(text)))
