"""What the collector of runs promises, over plain ports and a clock that is moved by hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pytest

from magpie.errors import RunUnknown, StorageUnavailable
from magpie.ingesting.collecting import LONGEST_WAIT_MS, Collector, Desk, Quiet, setback
from magpie.model import (
    Claim,
    DirtyFile,
    Order,
    RunEnd,
    RunId,
    RunState,
    Selection,
    Setback,
    SourceKey,
    Wish,
)
from tests.fakes_of_ingesting import FakeFiles

T = TypeVar("T")
MINUTE_MS = 60_000


@dataclass
class FakeBook:
    """Dirty files, wishes and the claim, in memory: the three ports of which a table keeps the book."""

    files: dict[str, DirtyFile] = field(default_factory=dict)
    wished: dict[RunId, Wish] = field(default_factory=dict)
    claim: Claim = field(default_factory=Claim)

    async def note(self, path: str, at_ms: int) -> None:
        file = self.files.get(path) or DirtyFile(path=path, times=0, first_ms=at_ms, last_ms=at_ms)
        self.files[path] = replace(file, times=file.times + 1, last_ms=at_ms)

    async def settle(self, files: Sequence[DirtyFile]) -> None:
        for file in files:
            held = self.files.get(file.path, file)
            if (held.times, held.first_ms) == (file.times, file.first_ms):
                self.files.pop(file.path, None)

    async def take(self, run: RunId, at_ms: int, *, dead: RunId | None) -> bool:
        if self.claim.run != dead:
            return False
        self.claim = replace(self.claim, run=run, since_ms=at_ms)
        return True

    async def release(self, run: RunId, setback: Setback | None) -> None:
        if self.claim.run == run:
            self.claim = Claim(setback=setback)

    async def now(self) -> Claim:
        return self.claim


@dataclass
class FakeDirty:
    book: FakeBook

    async def note(self, path: str, at_ms: int) -> None:
        await self.book.note(path, at_ms)

    async def all(self) -> tuple[DirtyFile, ...]:
        return tuple(self.book.files[path] for path in sorted(self.book.files))

    async def settle(self, files: Sequence[DirtyFile]) -> None:
        await self.book.settle(files)


@dataclass
class FakeWishes:
    book: FakeBook

    async def ask(self, wish: Wish) -> None:
        self.book.wished[wish.run] = wish

    async def all(self) -> tuple[Wish, ...]:
        return tuple(self.book.wished[run] for run in sorted(self.book.wished))

    async def forget(self, run: RunId) -> None:
        self.book.wished.pop(run, None)


@dataclass
class FakeMachine:
    """Runs that were started, and those that go on."""

    started: list[RunId] = field(default_factory=list)
    running: set[RunId] = field(default_factory=set)
    failure: StorageUnavailable | None = None

    async def start(self, run: RunId) -> None:
        if self.failure:
            raise self.failure
        if run not in self.started:
            self.started.append(run)
            self.running.add(run)

    async def is_running(self, run: RunId) -> bool:
        return run in self.running


@dataclass
class FakeWork:
    kept: dict[str, Any] = field(default_factory=dict)

    async def keep(self, name: str, value: object) -> None:
        self.kept[name] = value

    async def find(self, name: str, kind: type[T]) -> T | None:
        return self.kept.get(name)

    async def names(self, prefix: str) -> tuple[str, ...]:
        return tuple(name for name in self.kept if name.startswith(prefix))


@dataclass
class Office:
    """A collector with all that it keeps; `later` lets time pass."""

    now_ms: int = 1_800_000_000_000
    book: FakeBook = field(default_factory=FakeBook)
    machine: FakeMachine = field(default_factory=FakeMachine)
    work: FakeWork = field(default_factory=FakeWork)
    corpus: dict[str, bytes] = field(default_factory=lambda: {"site.yaml": b"site: {}"})

    def __post_init__(self) -> None:
        names = iter(f"run-{number}" for number in range(100))
        new_run: Callable[[], RunId] = lambda: RunId(next(names))  # noqa: E731  a name for one line
        self.collector = Collector(
            Desk(
                dirty=FakeDirty(self.book),
                wishes=FakeWishes(self.book),
                claims=self.book,
                machine=self.machine,
                work=self.work,
                files=FakeFiles(self.corpus),
                clock_ms=lambda: self.now_ms,
                new_run=new_run,
                quiet=Quiet(quiet_s=60, patience_s=600),
            )
        )

    async def note(self, *paths: str) -> None:
        for path in paths:
            await self.collector.note(path)

    async def tick(self, minutes: float = 1) -> RunId | None:
        self.now_ms += round(minutes * MINUTE_MS)
        return await self.collector.begin_next()

    async def end(self, run: RunId | None, code: str = "") -> None:
        assert run
        self.machine.running.discard(run)
        await self.collector.end(run, code=code, error="why")

    def order(self, run: RunId | None) -> Order:
        order: Order = self.work.kept[f"{run}/order"]
        return order


async def test_a_run_waits_until_all_is_quiet() -> None:
    """Nothing begins while files come in within the minute; then one run takes them all."""
    office = Office()
    await office.note("a.md")
    early = await office.tick(0.9)
    await office.note("b.md")
    still = await office.tick(0.9)

    begun = await office.tick(0.1)

    assert (early, still, office.machine.started) == (None, None, [begun])
    assert office.order(begun).wish.selection == Selection(files=frozenset({"a.md", "b.md"}))
    assert office.order(begun).site_text == "site: {}"


async def test_files_that_never_stop_coming_do_not_wait_for_ever() -> None:
    """After ten minutes a run begins in the middle of them."""
    office = Office()
    begun = []
    for number in range(40):
        await office.note(f"{number}.md")
        begun.append(await office.tick(0.5))

    first = next(number for number, run in enumerate(begun) if run)

    assert first == 19


async def test_what_comes_during_a_run_makes_the_next_one() -> None:
    """A file that changed again while a run read it stays dirty; those that did not are clean."""
    office = Office()
    await office.note("a.md", "b.md")
    first = await office.tick()
    await office.note("b.md", "c.md")
    meanwhile = await office.tick()

    await office.end(first)
    second = await office.tick()

    assert meanwhile is None
    assert office.order(second).wish.selection.files == {"b.md", "c.md"}


async def test_an_end_that_is_told_twice_does_no_harm() -> None:
    """The second telling neither frees the next run's claim nor cleans its files."""
    office = Office()
    await office.note("a.md")
    first = await office.tick()
    await office.end(first)
    await office.note("a.md")
    second = await office.tick()

    await office.end(first)
    await office.end(first, code="ProviderUnavailable")

    assert office.book.claim.run == second
    assert set(office.book.files) == {"a.md"}


async def test_what_published_has_ended_well() -> None:
    """A failure that is told after the switch takes neither the version's word back nor makes files dirty."""
    office = Office()
    await office.note("a.md")
    run = await office.tick()
    published = RunEnd(state=RunState.PUBLISHED)
    await office.work.keep(f"{run}/end", published)

    await office.end(run, code="StorageUnavailable")

    assert (office.work.kept[f"{run}/end"], office.book.files, office.book.claim) == (published, {}, Claim())


async def test_a_failed_run_is_tried_again_later_and_later() -> None:
    """Its files stay dirty; the pause doubles, up to six hours."""
    office = Office()
    await office.note("a.md")
    waits = []
    for _ in range(9):
        minutes = 0
        while (run := await office.tick()) is None:
            minutes += 1
        waits.append(minutes)
        await office.end(run, code="ProviderUnavailable")

    assert waits == [0, 4, 9, 19, 39, 79, 159, 319, 359]


async def test_what_waiting_does_not_mend_waits_for_something_new() -> None:
    """A mistake in the site file is not tried again each hour; the next upload tries at once."""
    office = Office()
    await office.note("a.md")
    await office.end(await office.tick(), code="SiteInvalid")
    day = [await office.tick(60) for _ in range(24)]

    await office.note("site.yaml")
    begun = await office.tick()

    assert set(day) == {None}
    assert office.order(begun).wish.selection.files == {"a.md", "site.yaml"}


async def test_a_good_run_forgets_the_bad_ones() -> None:
    """The next failure begins with the shortest pause again."""
    office = Office()
    await office.note("a.md")
    await office.end(await office.tick(), code="ProviderUnavailable")
    await office.end(await office.tick(6))

    assert office.book.claim == Claim()


async def test_a_run_whose_machine_stopped_is_taken_for_dead() -> None:
    """Not in its first two minutes, in which a machine may still be starting."""
    office = Office()
    await office.note("a.md")
    dead = await office.tick()
    assert dead
    office.machine.running.clear()

    early = await office.tick()
    state = (await office.collector.progress(dead)).state
    begun = await office.tick(1.5)

    assert (early, state) == (None, RunState.RUNNING)
    assert begun not in (None, dead)
    assert (await office.collector.progress(dead)).state == RunState.LOST
    assert office.book.claim.run == begun


async def test_a_run_that_goes_on_for_hours_is_left_alone() -> None:
    """Its machine says that it runs: no clock calls it dead."""
    office = Office()
    await office.note("a.md")
    run = await office.tick()
    await office.note("b.md")

    later = await office.tick(600)

    assert (later, office.book.claim.run) == (None, run)


async def test_a_machine_that_cannot_be_started_loses_nothing() -> None:
    """The error goes up; once the claim is old enough, another run takes the same files in."""
    office = Office()
    await office.note("a.md")
    office.machine.failure = StorageUnavailable("stepfunctions: throttled")
    with pytest.raises(StorageUnavailable):
        await office.tick()
    office.machine.failure = None

    begun = await office.tick(2.5)

    assert office.order(begun).wish.selection.files == {"a.md"}


async def test_a_wish_is_granted_at_once_and_takes_in_what_it_covers() -> None:
    """It waits for no quiet; a run over one file leaves the others dirty, one over a source leaves all."""
    office = Office()
    await office.note("a.md", "b.md")

    run = await office.collector.start(Selection(file="a.md"))
    waiting = await office.collector.start(Selection(source=SourceKey(source_type="page", source_key="x")))
    states = [(await office.collector.progress(one)).state for one in (run, waiting)]
    await office.end(run)
    after = set(office.book.files)
    await office.tick()

    assert office.machine.started == [run, waiting]
    assert (states, after) == ([RunState.RUNNING, RunState.WAITING], {"b.md"})
    assert office.order(waiting).dirty == ()


async def test_a_corpus_without_a_site_file_begins_a_run_that_can_say_so() -> None:
    """It is the run that fails with a sentence, not the collector that goes silent."""
    office = Office(corpus={})
    await office.note("a.md")

    assert office.order(await office.tick()).site_text == ""


@pytest.mark.parametrize("name", ["", "../x", "a/1", "run 1", "ñ", "x" * 81])
async def test_a_name_from_outside_reaches_no_other_place(name: str) -> None:
    """What is no name of a run is told so before anything is looked up."""
    office = Office()
    office.work.kept[f"{name}/end"] = RunEnd(state=RunState.PUBLISHED)

    with pytest.raises(RunUnknown):
        await office.collector.progress(RunId(name))


def test_a_pause_has_a_bound() -> None:
    """However often it failed."""
    many = Claim(setback=Setback(failures=60, at_ms=0, retry_ms=0))

    assert setback(many, "DatabaseUnavailable", 0).retry_ms == LONGEST_WAIT_MS
