"""
What runs on AWS noted of a source on their way, erased: the batches that held it, with their chunks and vectors.

A run that still goes on finds its batch gone, fails and is started again, when the source's file has left the corpus.
"""

import re
from dataclasses import dataclass

from magpie.ingesting.names import RoundNames
from magpie.model import SourceKey
from magpie.ports import ErasableWork

_READ = re.compile(r"(?P<round>.+)/read/(?P<batch>\d+)")


# Of a batch only whose sources it holds: so the work of an earlier release can be read too.


@dataclass(frozen=True, slots=True)
class _Named:
    key: SourceKey


@dataclass(frozen=True, slots=True)
class _Read:
    source: _Named


@dataclass(frozen=True, slots=True)
class _File:
    sources: tuple[_Read, ...]


@dataclass(frozen=True, slots=True)
class _Batch:
    files: tuple[_File, ...]


async def erase_from_runs(work: ErasableWork, key: SourceKey) -> int:
    """How many objects went. Raises: StorageUnavailable."""
    gone = 0
    for name in await work.names(""):
        match = _READ.fullmatch(name)
        if match and await _holds(work, name, key):
            gone += await _erase_batch(work, RoundNames(match["round"]), int(match["batch"]))
    return gone


async def _holds(work: ErasableWork, name: str, key: SourceKey) -> bool:
    batch = await work.find(name, _Batch)
    return batch is not None and any(read.source.key == key for file in batch.files for read in file.sources)


async def _erase_batch(work: ErasableWork, names: RoundNames, number: int) -> int:
    """What tells whose the rest is goes last, so that half an erasure can be repeated."""
    pieces = await work.names(names.pieces(number))
    made = (*pieces, names.end(number), names.chunks(number), names.batch(number), names.read(number))
    return sum([await work.erase(name) for name in made])
