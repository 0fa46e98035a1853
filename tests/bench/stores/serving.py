"""
What a store does for `tests.bench.peers`, and how it is told to: a line of JSON in, a line out.

Each store runs in a process of its own, some of them in an environment of their own, so nothing of
ours is imported here.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

DIMENSION = 384
CHUNKS_A_SOURCE = 15
TOP = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A chunk with its vector, ready to be stored."""

    id: str
    source: str
    kind: str
    visibility: str
    text: str
    vector: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its vector."""

    words: str
    vector: list[float]


class Store(Protocol):
    """What is measured. A guest asks: whatever is found must be public."""

    async def open(self, url: str) -> None:
        """An empty database becomes the store's; no index of vectors yet."""

    def made(self, rows: Sequence[Row]) -> Any:
        """The rows as the store takes them; not timed."""

    async def add(self, made: Any) -> None:
        """Store them, committed."""

    async def index(self) -> None:
        """What a first load ends with: everything is indexed, and can be searched."""

    async def ask(self, kind: str, asked: Asked) -> list[str]:
        """Ids of what is found, best first, with texts and metadata read. `kind`: vector or hybrid."""

    async def close(self) -> None: ...


# --- Data on its way between processes --------------------------------------------------------


def write_rows(folder: Path, name: str, rows: Sequence[dict[str, str]], vectors: Any) -> None:
    """`name.jsonl` and `name.npy` in step."""
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    np.save(folder / f"{name}.npy", np.asarray(vectors, dtype=np.float32))


def read_rows(folder: Path, name: str) -> list[tuple[dict[str, str], list[float]]]:
    lines = (folder / f"{name}.jsonl").read_text().splitlines()
    vectors = np.load(folder / f"{name}.npy").tolist()
    return list(zip(map(json.loads, lines), vectors, strict=True))


# --- The loop ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Desk:
    """One store and the data that it works on."""

    store: Store
    rows: list[Row]
    asked: list[Asked]

    async def answer(self, told: dict[str, Any]) -> dict[str, Any]:
        match told["do"]:
            case "open":
                await self.store.open(told["url"])
                return {}
            case "add":
                made = self.store.made(self.rows[told["first"] : told["last"]])
                return await _timed(self.store.add(made))
            case "index":
                return await _timed(self.store.index())
            case "ask":
                return await self._asked(told["kind"], told["numbers"])
            case "close":
                await self.store.close()
                return {}
            case other:
                raise ValueError(f"a store can't {other}")

    async def _asked(self, kind: str, numbers: Sequence[int]) -> dict[str, Any]:
        seconds, found = [], []
        used = time.process_time()
        for number in numbers:
            began = time.perf_counter()
            ids = await self.store.ask(kind, self.asked[number])
            seconds.append(time.perf_counter() - began)
            found.append(ids)
        return {"seconds": seconds, "found": found, "used": time.process_time() - used}


async def _timed(work: Any) -> dict[str, Any]:
    began, used = time.perf_counter(), time.process_time()
    await work
    return {"seconds": time.perf_counter() - began, "used": time.process_time() - used}


async def _run(store: Store, folder: Path) -> None:
    rows = [Row(vector=vector, **row) for row, vector in read_rows(folder, "rows")]
    asked = [Asked(vector=vector, **row) for row, vector in read_rows(folder, "asked")]
    desk = Desk(store, rows, asked)
    for line in sys.stdin:
        print(json.dumps(await desk.answer(json.loads(line))), flush=True)


def serve(store: Store) -> None:
    """Do what the lines of standard input say, until it ends. The data lies in the folder named first."""
    asyncio.run(_run(store, Path(sys.argv[1])))
