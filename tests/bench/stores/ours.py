"""Magpie as it publishes and searches; also a whole question, with models that answer at once."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from magpie.adapters.postgres import (
    Database,
    PostgresCatalogue,
    PostgresPassages,
    PostgresVersions,
    migrate_database,
)
from magpie.asking.pipeline import Asker
from magpie.asking.prompted import prompted_family
from magpie.asking.receipts import Receipts
from magpie.asking.routes import SiteRouter
from magpie.asking.trail import Clock
from magpie.model import (
    AnswerId,
    AnswerPart,
    Chunk,
    Delta,
    EmbeddedChunk,
    EmbeddingModel,
    Language,
    Origin,
    Question,
    Revision,
    Scope,
    Source,
    SourceKey,
    Span,
    Vector,
    Version,
    Viewer,
    Visibility,
)
from magpie.ports import SearchQuery
from magpie.site import load_site
from tests.bench.stores.serving import DIMENSION, TOP, Asked, Row, serve
from tests.fakes import FakeChatModel, FakeWriter

MODEL = EmbeddingModel(provider="bench", name="mixture", dimension=DIMENSION)
SITE = """
site: {key: bench, name: Bench, url: "https://bench.example", languages: [en]}
persona: {name: Gull}
sources: [{path: "**/*.md", type: page}]
handover: {url: "https://bench.example/contact/", label: Desk, email: hello@bench.example}
"""
SORTED = '{"intent": "rag_question", "language": "en"}'
WRITTEN = "That is told here. [1]\n"


class GivenVectors:
    """The `Embedder` of questions whose vectors are known."""

    model = MODEL

    def __init__(self) -> None:
        self.known: dict[str, Vector] = {}

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        raise AssertionError("vectors are given")

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return tuple(self.known[text] for text in texts)


class Planning(FakeChatModel):
    """Plans what was asked, word by word."""

    async def stream(self, prompt: Any) -> AsyncIterator[Any]:
        self.answers = ("not a plan",)  # the planner then takes the visitor's words as they are
        async for piece in super().stream(prompt):
            yield piece


@dataclass(slots=True)
class Ours:
    database: Any = None
    versions: Any = None
    passages: Any = None
    version: Version | None = None
    draft: Any = None
    asker: Any = None
    vectors: GivenVectors = field(default_factory=GivenVectors)
    _run: AsyncExitStack = field(default_factory=AsyncExitStack)
    _counts: list[int] = field(default_factory=lambda: [0, 0])

    async def open(self, url: str) -> None:
        await migrate_database(url, DIMENSION, None)
        self.database = await self._run.enter_async_context(Database(url))
        self.versions = PostgresVersions(self.database)
        self.passages = PostgresPassages(self.database)
        self.asker = self._asker()
        self._run = AsyncExitStack()
        self.draft = await self._run.enter_async_context(self._draft())

    def _draft(self) -> Any:
        parent = self.version.id if self.version else None
        return self.versions.draft(parent=parent, primary=MODEL, fallback=None, site_text=SITE)

    def _asker(self) -> Asker:
        site, clock = load_site(SITE), Clock()
        family = prompted_family(
            site,
            classifier=FakeChatModel(answers=(SORTED,)),
            planner=Planning(),
            writer=FakeChatModel(answers=(WRITTEN,)),
            clock=clock,
        )
        catalogue = PostgresCatalogue(self.database)
        return Asker(
            site=site,
            catalogue=catalogue,
            router=SiteRouter(site, catalogue, self.passages, self.vectors, None, clock),
            family=family,
            last_resort=FakeWriter(),
            receipts=Receipts("a key for measuring, long enough"),
            clock=clock,
        )

    def made(self, rows: Sequence[Row]) -> list[Revision]:
        return [_revision(list(some)) for _, some in groupby(rows, key=lambda row: row.source)]

    async def add(self, made: list[Revision]) -> None:
        """Staged into the draft that is open; a turn that meets none begins one on what is published."""
        if self.draft is None:
            await self._begin()
        await self.draft.add(made)
        self._count(made)

    async def _begin(self) -> None:
        assert self.version is not None
        stored = await self.versions.stored(self.version.id)
        self.draft = await self._run.enter_async_context(self._draft())
        await self.draft.keep(stored)

    def _count(self, made: list[Revision]) -> None:
        self._counts = [
            self._counts[0] + len(made),
            self._counts[1] + sum(len(one.chunks) for one in made),
        ]

    async def index(self) -> None:
        """Counted and switched to, once for all turns since the last time."""
        sources, chunks = self._counts
        self.version = await self.draft.activate(expected_sources=sources, expected_chunks=chunks)
        self.draft = None
        await self._run.aclose()
        self._run = AsyncExitStack()

    async def ask(self, kind: str, asked: Asked) -> list[str]:
        if kind in ("first text", "whole answer"):
            await self._answered(asked, first_only=kind == "first text")
            return []
        words = asked.words if kind == "hybrid" else ""
        assert self.version is not None
        (found,) = await self.passages.search(
            [SearchQuery(words=words, vector=tuple(asked.vector))],
            version=self.version.id,
            viewer=Viewer(),
            limit=TOP,
        )
        return [f"{passage.key.source_key}/{passage.index}" for passage in found]

    async def _answered(self, asked: Asked, *, first_only: bool) -> None:
        self.vectors.known[asked.words] = tuple(asked.vector)
        question = Question(
            id=AnswerId("a1"), text=asked.words, viewer=Viewer(), deadline=time.monotonic() + 30
        )
        parts = self.asker.ask(question)
        last: AnswerPart | None = None
        async for last in parts:
            if first_only and isinstance(last, Delta):
                await parts.aclose()
                return
        outcome = getattr(last, "outcome", None)
        assert outcome == "answered", (outcome, last)

    async def close(self) -> None:
        await self.database.close()


def _revision(rows: list[Row]) -> Revision:
    text = "\n\n".join(row.text for row in rows)
    source = Source(
        key=SourceKey(source_type=rows[0].kind, source_key=rows[0].source),
        path=f"{rows[0].source}.md",
        title=rows[0].source,
        text=text,
        origin=Origin.FIRST_PARTY,
        scope=Scope.COMPANY,
        visibility=Visibility(rows[0].visibility),
        language=Language("en"),
        content_hash=rows[0].source,
        raw_hash=rows[0].source,
        rules_hash="bench",
    )
    chunks = (
        EmbeddedChunk(
            chunk=Chunk(
                index=index, content=row.text, span=Span(start=0, end=len(row.text)), content_hash=row.id
            ),
            primary=tuple(row.vector),
            fallback=None,
        )
        for index, row in enumerate(rows)
    )
    return Revision(source=source, chunks=tuple(chunks))


if __name__ == "__main__":
    serve(Ours())
