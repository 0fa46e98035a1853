"""The steps of a run on AWS, over plain ports: they end as a run in one piece does."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pytest
from pydantic import TypeAdapter

from magpie.errors import CorpusInvalid, MagpieError, Overtaken
from magpie.ingesting.embedding import Indexes
from magpie.ingesting.looking import Found
from magpie.ingesting.names import BatchItem, RunNames
from magpie.ingesting.questions import Questioner
from magpie.ingesting.run import Ingest, Parts
from magpie.ingesting.stages import Stages, Tools
from magpie.ingesting.work import BATCH_FILES, batches
from magpie.model import (
    ChatPiece,
    EmbeddingModel,
    IngestSummary,
    Order,
    Prompt,
    Pruned,
    RunId,
    RunState,
    Selection,
    SourceKey,
    Wish,
)
from magpie.site import Site, SourceRule, load_site
from tests.fakes_of_ingesting import (
    FALLBACK,
    FakeCache,
    FakeFiles,
    FakeHostile,
    FakePassageEmbedder,
    FakeQuestions,
    FakeVersions,
    FakeWindow,
)

T = TypeVar("T")
SITE = """
site: {key: harbour, name: Harbour, url: "https://harbour.example", languages: [en, es]}
persona: {name: Gull}
sources:
  - {path: drafts/**, ignore: true}
  - {path: "posts/**/*.md", type: article, scope: article, key: "{slug}", url: "/posts/{slug}/"}
  - path: data/boats.json
    type: boat
    scope: project
    key: "{id}"
    records: {at: boats, key: id, title: name, label: Boat, status: data/live.json}
  - {path: data/live.json, ignore: true}
  - {path: pages/**, type: page, chunking: {size: 250, overlap: 20, questions: prompted}}
chunking: {size: 300, overlap: 40}
"""
CORPUS = {
    "posts/2024-03-01-tides.md": b"---\ntitle: Tides\n---\n\nThe tide turns at noon.\n",
    "posts/ropes.md": b"---\ntitle: Ropes\nslug: rope\n---\n\nA sennit has seven strands.\n",
    "posts/twin.md": b"---\nslug: rope\n---\n\nAnother rope, the same name.\n",
    "data/boats.json": b'{"boats": [{"id": "ann", "name": "Ann"}, {"id": "bo", "name": "Bo"}, {"id": "ann", "name": "Twin"}]}',
    "data/live.json": b'{"status": [{"id": "ann", "published": true}, {"id": "bo", "published": true}]}',
    "pages/long.md": b"\n\n".join(b"Paragraph %d tells of ropes and tides. " % n * 6 for n in range(40)),
    "pages/odd.bin": b"x",
    "drafts/a.md": b"x",
    "nowhere.md": b"text",
}


@dataclass
class JsonWork:
    """The work store: what is kept goes through JSON, as it does in a bucket."""

    kept: dict[str, str] = field(default_factory=dict)

    async def keep(self, name: str, value: object) -> None:
        kind: Any = list[type(value[0])] if isinstance(value, list) and value else type(value)  # type: ignore[misc]
        self.kept[name] = json.dumps(TypeAdapter(kind).dump_python(value, mode="json"))

    async def find(self, name: str, kind: type[T]) -> T | None:
        return TypeAdapter(kind).validate_json(self.kept[name]) if name in self.kept else None

    async def names(self, prefix: str) -> tuple[str, ...]:
        return tuple(name for name in self.kept if name.startswith(prefix))


@dataclass
class FakeChat:
    """Asks of each passage what it is about, by its first word."""

    name: str = "fake-chat"
    calls: int = 0

    async def stream(self, prompt: Prompt) -> AsyncIterator[ChatPiece]:
        self.calls += 1
        word = json.loads(prompt.messages[-1].content)["passage"].split()[0]
        yield ChatPiece(text=json.dumps([f"What of {word}?"]))


@dataclass
class FakeModels:
    """The site's models, whatever the site says."""

    primary: FakePassageEmbedder
    fallback: FakePassageEmbedder
    cache: FakeCache = field(default_factory=FakeCache)
    asker: Questioner = field(default_factory=lambda: Questioner(FakeChat(), FakeQuestions()))

    def identities(self, site: Site) -> tuple[EmbeddingModel, EmbeddingModel | None]:
        return self.primary.model, self.fallback.model

    def windows(self, site: Site) -> list[FakeWindow]:
        return [FakeWindow(window_tokens=60)]

    def indexes(self, site: Site) -> Indexes:
        return Indexes(self.primary, self.fallback, self.cache)

    def questioner(self, site: Site) -> Questioner:
        return self.asker


@dataclass
class FakeOld:
    """Notes how many versions were to be kept."""

    kept: list[int] = field(default_factory=list)

    async def prune(self, keep: int) -> Pruned:
        self.kept.append(keep)
        return Pruned(versions=(), revisions=0, chunks=0)


@dataclass
class Yard:
    """One corpus, brought in by steps or in one piece."""

    files: dict[str, bytes] = field(default_factory=lambda: dict(CORPUS))
    site_text: str = SITE
    versions: FakeVersions = field(default_factory=FakeVersions)
    models: FakeModels = field(
        default_factory=lambda: FakeModels(FakePassageEmbedder(), FakePassageEmbedder(model=FALLBACK))
    )
    work: JsonWork = field(default_factory=JsonWork)
    old: "FakeOld" = field(default_factory=lambda: FakeOld())
    runs: int = 0

    def __post_init__(self) -> None:
        self.stages = Stages(
            Tools(
                work=self.work,
                files=lambda site: FakeFiles(self.files),
                hostile=FakeHostile(),
                versions=self.versions,
                history=self.old,
                models=self.models,
                clock_ms=lambda: 0,
            )
        )

    async def order(self, selection: Selection, **options: bool) -> RunId:
        self.runs += 1
        run = RunId(f"run-{self.runs}")
        wish = Wish(run=run, selection=selection, **options)
        order = Order(wish=wish, dirty=(), site_text=self.site_text, begun_ms=0)
        await self.work.keep(RunNames(run).order, order)
        return run

    async def by_steps(self, selection: Selection, **options: bool) -> IngestSummary:
        run = await self.order(selection, **options)
        for _ in range(10):
            plan = await self.stages.look(run)
            for number in reversed(range(len(plan.sizes))):  # in no order
                item = BatchItem(run=run, round=plan.round, batch=number)
                for _ in range(2):  # each twice
                    await self.stages.read(item)
                    await self.stages.chunk(item)
                while not await self.stages.embed(item, lambda: False):
                    pass
            try:
                end = await self.stages.publish(run, plan.round)
            except Overtaken:
                continue
            assert end.summary
            return end.summary
        raise AssertionError("always overtaken")

    async def in_one_piece(self, selection: Selection, **options: bool) -> IngestSummary:
        parts = Parts(
            files=FakeFiles(self.files),
            versions=self.versions,
            hostile=FakeHostile(),
            primary=self.models.primary,
            fallback=self.models.fallback,
            cache=self.models.cache,
            windows=[FakeWindow(window_tokens=60)],
            questioner=self.models.asker,
            clock=lambda: 0,
        )
        return await Ingest(load_site(self.site_text), parts).run(selection, **options)


Change = Callable[[dict[str, bytes]], object]
EVERYTHING = Selection()


def told(*paths: str) -> Selection:
    return Selection(files=frozenset(paths))


CHANGES: list[tuple[str, Change, Selection]] = [
    ("nothing", lambda files: None, EVERYTHING),
    ("a paragraph", lambda files: files.update({"posts/ropes.md": CORPUS["posts/ropes.md"] + b"\nMore."}), EVERYTHING),
    ("a rename", lambda files: files.update({"posts/x/r.md": files.pop("posts/ropes.md")}), EVERYTHING),
    ("white space", lambda files: files.update({"posts/ropes.md": CORPUS["posts/ropes.md"] + b"  \r\n"}), EVERYTHING),
    ("a deletion", lambda files: files.pop("posts/ropes.md"), told("posts/ropes.md")),
    ("damage", lambda files: files.update({"posts/ropes.md": b"---\ntitle: [x\n{\n---\nx"}), told("posts/ropes.md")),
    ("broken records", lambda files: files.update({"data/boats.json": b"{"}), told("data/boats.json")),
    ("a status", lambda files: files.update({"data/live.json": b'{"status": [{"id": "ann", "published": true}]}'}), told("data/live.json")),
    ("one record", lambda files: files.update({"data/boats.json": CORPUS["data/boats.json"].replace(b'"Bo"', b'"Beau"')}), Selection(source=SourceKey(source_type="boat", source_key="bo"))),
    ("one file", lambda files: files.update({"posts/new.md": b"New.", "pages/new.md": b"Later."}), Selection(file="posts/new.md")),
    ("a folder", lambda files: files.update({"posts/new.md": b"New.", "pages/new.md": b"Later."}), Selection(folder="pages/")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "selection"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES]
)
async def test_a_run_by_steps_ends_as_a_run_in_one_piece(change: Change, selection: Selection) -> None:
    """
    Whatever changed: the same summary, the same revisions with the same chunks and vectors, though
    each step was done twice, in no order, and embedding stopped after each piece.
    """
    one, other = Yard(), Yard()
    first = await one.by_steps(EVERYTHING), await other.in_one_piece(EVERYTHING)
    change(one.files)
    change(other.files)

    second = await one.by_steps(selection), await other.in_one_piece(selection)

    for by_steps, in_one_piece in (first, second):
        # Twins are told apart only at the end: by then they were embedded, too early or for nothing.
        assert abs(by_steps.embedded - in_one_piece.embedded) <= len(by_steps.refused)
        assert replace(by_steps, embedded=in_one_piece.embedded) == in_one_piece
    assert {key: single(revision) for key, revision in one.versions.now().items()} == {
        key: single(revision) for key, revision in other.versions.now().items()
    }
    assert len(one.versions.history) == len(other.versions.history)
    page = one.versions.now()["page:long"].chunks[1].chunk
    assert page.questions and page.questions[0].startswith("What of ")


def single(revision: Any) -> Any:
    """The revision with vectors as a database keeps them."""
    rounded = tuple(
        (
            one.chunk,
            one.primary and [pytest.approx(x, abs=1e-6) for x in one.primary],
            one.fallback and [pytest.approx(x, abs=1e-6) for x in one.fallback],
        )
        for one in revision.chunks
    )
    return replace(revision, chunks=rounded)


async def test_an_error_of_the_corpus_is_the_same_by_steps() -> None:
    """Too much that would vanish, an empty corpus, a selection that names nothing."""
    yard = Yard()
    await yard.by_steps(EVERYTHING)

    async def error(selection: Selection) -> list[str]:
        said = []
        for run in (yard.by_steps, yard.in_one_piece):
            with pytest.raises(MagpieError) as raised:
                await run(selection)
            said.append(str(raised.value))
        return said

    slip = await error(Selection(file="nothing.md"))
    for path in ("data/boats.json", "posts/ropes.md", "posts/twin.md", "pages/long.md"):
        del yard.files[path]
    vanishing = await error(EVERYTHING)
    yard.files.clear()
    empty = await error(EVERYTHING)

    assert all(first == second for first, second in (slip, vanishing, empty))
    assert len(yard.versions.history) == 1


async def test_an_overtaken_run_looks_again_and_takes_no_remains() -> None:
    """Its next round has places of its own; what the other one published stands beneath it."""
    yard = Yard()
    await yard.by_steps(EVERYTHING)
    yard.files["posts/new.md"] = b"A new post."

    async def overtake() -> None:
        yard.files["pages/meanwhile.md"] = b"Meanwhile."
        await yard.in_one_piece(Selection(file="pages/meanwhile.md"))

    yard.versions.overtaken_by.append(overtake)
    summary = await yard.by_steps(told("posts/new.md"))

    assert [str(key) for key in summary.added] == ["article:new"]
    assert {"article:new", "page:meanwhile"} <= set(yard.versions.now())
    assert len(yard.versions.history) == 3


async def test_a_run_that_is_always_overtaken_gives_up() -> None:
    """After eight rounds it says so, instead of going round for ever."""
    yard = Yard()
    run = await yard.order(EVERYTHING)
    for _ in range(8):
        await yard.stages.look(run)

    with pytest.raises(Overtaken, match="8 times"):
        await yard.stages.look(run)


async def test_a_publish_that_was_done_already_says_what_it_did() -> None:
    """Its version names the run; the summary is that of the first time."""
    yard = Yard()
    run = await yard.order(EVERYTHING)
    plan = await yard.stages.look(run)
    for number in range(len(plan.sizes)):
        item = BatchItem(run=run, round=plan.round, batch=number)
        await yard.stages.read(item)
        await yard.stages.chunk(item)
        await yard.stages.embed(item, lambda: True)

    first = await yard.stages.publish(run, plan.round)
    again = await yard.stages.publish(run, plan.round)

    assert first == again
    assert yard.old.kept == [10, 10]
    assert (first.state, len(yard.versions.history)) == (RunState.PUBLISHED, 1)


async def test_work_that_is_gone_is_told_by_name() -> None:
    """Somebody emptied the bucket in the middle: the run fails with what to do next."""
    yard = Yard()
    run = await yard.order(EVERYTHING)
    plan = await yard.stages.look(run)
    del yard.work.kept[RunNames(run).round(plan.round).batch(0)]

    with pytest.raises(CorpusInvalid, match=r"run-1/1/batch/0 is gone .* start the run again"):
        await yard.stages.read(BatchItem(run=run, round=plan.round, batch=0))


def found(path: str, size: int) -> Found:
    return Found(path=path, rules=(SourceRule(path="**"),), size=size)


def test_batches_hold_what_one_call_surely_reads() -> None:
    """Few slow files, many small ones, a huge one alone; none lost, none twice, all in order."""
    small = [found(f"a/{n:04}.md", 500) for n in range(250)]
    slow = [found(f"b/{n:04}.PDF", 500) for n in range(25)]
    huge = [found("c.md", 9_000_000), found("d.md", 9_000_000)]

    packs = list(batches([*small, *slow, *huge]))

    assert [one for pack in packs for one in pack] == [*small, *slow, *huge]
    assert max(map(len, packs)) == BATCH_FILES
    assert all(sum(one.path.endswith("PDF") for one in pack) <= 10 for pack in packs)
    assert [len(pack) for pack in packs[-2:]] == [1, 1]
    assert list(batches([])) == []
