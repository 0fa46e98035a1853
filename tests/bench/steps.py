"""
Memory and time of the steps of a run on AWS, for a corpus and for one ten times as large.

Files are made when they are asked for, the work store is a folder, vectors are made of hashes, and
the draft forgets what it is given: what is measured is what the steps themselves hold.
"""

import asyncio
import hashlib
import json
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from magpie.ingesting.embedding import Indexes
from magpie.ingesting.names import BatchItem, RunNames
from magpie.ingesting.stages import Stages, Tools
from magpie.model import Document, EmbeddingModel, Order, Pruned, Revision, RunId, Selection, Version, Wish
from magpie.site import Site
from tests.bench._command import run
from tests.fakes_of_ingesting import FakeCache, FakeDraft, FakeHostile, FakeVersions, vector_of

T = TypeVar("T")
SIZES = (300, 3000)
DIMENSION = 384
RUN = RunId("bench")
SITE = """
site: {key: bench, name: Bench, url: "https://bench.example"}
persona: {name: Gull}
sources: [{path: "pages/**", type: page}]
"""
MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Pages:
    """So many pages of 2 kB."""

    count: int

    async def paths(self) -> AsyncIterator[tuple[str, int]]:
        for number in range(self.count):
            yield f"pages/{number:05}.md", 2000

    async def read(self, path: str) -> Document:
        raw = "\n\n".join(f"What {path} says of matter {n}. " * 6 for n in range(9)).encode()
        return Document(path=path, raw=raw, raw_hash=hashlib.sha256(raw).hexdigest())


@dataclass(frozen=True)
class FolderWork:
    """The work store in a folder."""

    folder: Path

    def _file(self, name: str) -> Path:
        return self.folder / name.replace("/", "~")

    async def keep(self, name: str, value: object) -> None:
        kind: Any = list[type(value[0])] if isinstance(value, list) and value else type(value)  # type: ignore[misc]
        self._file(name).write_text(json.dumps(TypeAdapter(kind).dump_python(value, mode="json")))

    async def find(self, name: str, kind: type[T]) -> T | None:
        file = self._file(name)
        return TypeAdapter(kind).validate_json(file.read_bytes()) if file.exists() else None

    async def names(self, prefix: str) -> tuple[str, ...]:
        names = (file.name.replace("~", "/") for file in self.folder.iterdir())
        return tuple(name for name in names if name.startswith(prefix))


@dataclass
class Hashes:
    """A model that costs nothing."""

    model: EmbeddingModel = field(
        default_factory=lambda: EmbeddingModel(provider="fake", name="hash", dimension=DIMENSION)
    )

    async def embed_passages(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        return tuple(vector_of(text, 32) * (DIMENSION // 32) for text in texts)

    embed_queries = embed_passages


class Forgetful(FakeCache):
    """A cache that keeps nothing."""

    async def put(self, model: EmbeddingModel, vectors: object) -> None:
        return


class Models:
    def identities(self, site: Site) -> tuple[EmbeddingModel, EmbeddingModel | None]:
        return Hashes().model, None

    def windows(self, site: Site) -> list[Any]:
        return []

    def indexes(self, site: Site) -> Indexes:
        return Indexes(Hashes(), None, Forgetful())

    def questioner(self, site: Site) -> None:
        return None


class Dropping(FakeVersions):
    """Versions whose draft counts what it is given and keeps none of it."""

    @asynccontextmanager
    async def draft(self, **given: Any) -> AsyncIterator[FakeDraft]:
        async with super().draft(**given) as draft:
            add = draft.add

            async def counted(revisions: Iterable[Revision]) -> None:
                await add(
                    [
                        replace(one, source=replace(one.source, text=""), chunks=one.chunks)
                        for one in revisions
                    ]
                )
                self.revisions.clear()

            draft.add = counted  # type: ignore[method-assign]
            yield draft

    async def prune(self, keep: int) -> Pruned:
        return Pruned(versions=(), revisions=0, chunks=0)

    async def active(self) -> Version | None:
        return None


async def measure(count: int) -> dict[str, tuple[float, float]]:
    """Peak megabytes and seconds of each step; of the batches the largest peak, and all their time."""
    found: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        versions = Dropping()
        work = FolderWork(Path(folder))
        stages = Stages(
            Tools(
                work=work,
                files=lambda site: Pages(count),
                hostile=FakeHostile(),
                versions=versions,
                history=versions,
                models=Models(),
                clock_ms=lambda: 0,
            )
        )
        wish = Wish(run=RUN, selection=Selection())
        await work.keep(RunNames(RUN).order, Order(wish=wish, dirty=(), site_text=SITE, begun_ms=0))

        async def step(name: str, doing: Any) -> Any:
            tracemalloc.reset_peak()
            before, began = tracemalloc.get_traced_memory()[0], time.perf_counter()
            done = await doing
            peak, seconds = found.get(name, (0.0, 0.0))
            used = (tracemalloc.get_traced_memory()[1] - before) / MEGABYTE
            found[name] = max(peak, used), seconds + time.perf_counter() - began
            return done

        plan = await step("look", stages.look(RUN))
        for number in range(len(plan.sizes)):
            item = BatchItem(run=RUN, round=plan.round, batch=number)
            await step("read", stages.read(item))
            await step("chunk", stages.chunk(item))
            await step("embed", stages.embed(item, lambda: True))
        end = await step("publish", stages.publish(RUN, plan.round))
        assert end.summary and len(end.summary.added) == count
    return found


def main() -> None:
    tracemalloc.start()
    asyncio.run(measure(5))  # what is loaded once
    small, large = (asyncio.run(measure(count)) for count in SIZES)
    print(f"{'step':8} {'peak MB at':>12} {SIZES[0]:>6} {SIZES[1]:>6} {'ratio':>6} {'ms a file':>10}")
    for name in small:
        (few, _), (many, seconds) = small[name], large[name]
        print(f"{name:8} {'':12} {few:6.1f} {many:6.1f} {many / few:6.2f} {seconds / SIZES[1] * 1000:10.2f}")


if __name__ == "__main__":
    run(main)
