"""
Dirty files and wishes to runs, one at a time.

Events only note which files are dirty. Once a minute somebody looks: when all has been quiet for a
while, one run takes in every file that is dirty by then, in whatever order its events came. A file
stays dirty until a run that took it in has ended well, and longer if something happened to it
since: so a run may fail, die or come twice, and nothing is lost.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from magpie.errors import DocumentRefused, RunUnknown
from magpie.ingesting.names import RunNames
from magpie.ingesting.selecting import is_hidden, selects
from magpie.model import (
    Claim,
    DirtyFile,
    Order,
    RunEnd,
    RunId,
    RunProgress,
    RunState,
    Selection,
    Setback,
    Stage,
    Wish,
)
from magpie.ports import Claims, CorpusFiles, DirtyFiles, RunMachine, Wishes, Work
from magpie.site import SITE_FILE

STARTING_MS = 120_000  # between claim and start of a run lies less, or its collector died
FIRST_WAIT_MS = 5 * 60_000
LONGEST_WAIT_MS = 6 * 3600_000
NEVER_MS = 2**53
RUN = re.compile(r"[A-Za-z0-9-]{1,80}")
# What trying again does not mend: the owner or the engineer has to change something first.
LASTING = frozenset(
    {
        "CorpusInvalid",
        "SiteInvalid",
        "DocumentRefused",
        "SettingsInvalid",
        "GateClosed",
        "ProviderRefused",
        "ValidationError",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiet:
    """A run waits until nothing came in for `quiet_s`; after `patience_s` it waits no longer."""

    quiet_s: float = 60
    patience_s: float = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """As much of a run's plan as who watches it needs: the numbers of files in its batches."""

    round: int
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What runs are kept with. `clock_ms` is Unix time, `new_run` gives names that sort by time."""

    dirty: DirtyFiles
    wishes: Wishes
    claims: Claims
    machine: RunMachine
    work: Work
    files: CorpusFiles
    clock_ms: Callable[[], int]
    new_run: Callable[[], RunId]
    quiet: Quiet = Quiet()


class Collector:
    """The only one that begins and ends runs. Keeps the `IngestRuns` port."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def note(self, path: str) -> None:
        """Something happened to the file; what is hidden is no document."""
        if not is_hidden(path):
            await self._desk.dirty.note(path, self._desk.clock_ms())

    async def start(
        self, selection: Selection, *, accept_vanishing: bool = False, skip_gate: bool = False
    ) -> RunId:
        """Ask for a run; it begins at once where none goes on."""
        wish = Wish(
            run=self._desk.new_run(),
            selection=selection,
            accept_vanishing=accept_vanishing,
            skip_gate=skip_gate,
        )
        await self._desk.wishes.ask(wish)
        await self.begin_next()
        return wish.run

    async def begin_next(self) -> RunId | None:
        """
        Begin a run if there is something to do and none goes on; its name.

        A run whose machine ended without a word is taken for dead, and its files are still dirty.
        """
        desk = self._desk
        claim = await desk.claims.now()
        if claim.run and not await self._is_dead(claim):
            return None
        wish, dirty = await self._next(claim)
        if wish is None or not await desk.claims.take(wish.run, desk.clock_ms(), dead=claim.run):
            return None
        await self._begin(wish, dirty)
        return wish.run

    async def end(self, run: RunId, *, code: str = "", error: str = "") -> None:
        """
        The run has ended, well without a code. Told twice it does no harm; and what published has
        ended well, whatever failed afterwards.
        """
        desk, names = self._desk, RunNames(run)
        claim, end = await desk.claims.now(), await desk.work.find(names.end, RunEnd)
        if code and (end is None or end.state == RunState.FAILED):
            await desk.work.keep(names.end, RunEnd(state=RunState.FAILED, code=code, error=error))
            await desk.claims.release(run, setback(claim, code, desk.clock_ms()))
            return
        if order := await desk.work.find(names.order, Order):
            await desk.dirty.settle(order.dirty)
        await desk.claims.release(run, None)

    async def progress(self, run: RunId) -> RunProgress:
        """Raises: RunUnknown."""
        if not RUN.fullmatch(run):  # it comes from outside, and becomes part of a name
            raise RunUnknown(
                "a run's name has letters, digits and hyphens; take it from where it was started"
            )
        names = RunNames(run)
        end = await self._desk.work.find(names.end, RunEnd)
        if end is not None:
            return RunProgress(
                run=run,
                state=end.state,
                stage=Stage.PUBLISHING,
                summary=end.summary,
                code=end.code,
                error=end.error,
            )
        claim = await self._desk.claims.now()
        if claim.run == run and not await self._is_dead(claim):
            return await self._going_on(run)
        if any(wish.run == run for wish in await self._desk.wishes.all()):
            return RunProgress(run=run, state=RunState.WAITING)
        if await self._desk.work.find(names.order, Order):
            return RunProgress(run=run, state=RunState.LOST)
        raise RunUnknown(f"there is no run {run}; start one, or look at a newer one")

    # Beginning

    async def _next(self, claim: Claim) -> tuple[Wish | None, tuple[DirtyFile, ...]]:
        """What the next run is to do; wishes come first, and take in the dirty files that they cover."""
        desk = self._desk
        dirty = await desk.dirty.all()
        for wish in await desk.wishes.all():
            return wish, tuple(file for file in dirty if _covers(wish.selection, file.path))
        if not is_due(dirty, claim.setback, desk.clock_ms(), desk.quiet):
            return None, ()
        selection = Selection(files=frozenset(file.path for file in dirty))
        return Wish(run=desk.new_run(), selection=selection), dirty

    async def _begin(self, wish: Wish, dirty: tuple[DirtyFile, ...]) -> None:
        desk = self._desk
        order = Order(wish=wish, dirty=dirty, site_text=await self._site_text(), begun_ms=desk.clock_ms())
        await desk.work.keep(RunNames(wish.run).order, order)
        await desk.machine.start(wish.run)
        await desk.wishes.forget(wish.run)

    async def _site_text(self) -> str:
        """The site file as it stands; what is wrong with it is the run's to say."""
        try:
            document = await self._desk.files.read(SITE_FILE)
        except DocumentRefused:
            return ""
        return document.raw.decode("utf-8-sig", "replace")

    async def _is_dead(self, claim: Claim) -> bool:
        if claim.run is None or await self._desk.machine.is_running(claim.run):
            return False
        return self._desk.clock_ms() - claim.since_ms > STARTING_MS

    # Watching

    async def _going_on(self, run: RunId) -> RunProgress:
        names = RunNames(run)
        plan = await self._desk.work.find(names.plan, Planned)
        if plan is None:
            return RunProgress(run=run, state=RunState.RUNNING)
        sizes, total = plan.sizes, sum(plan.sizes)
        at = names.round(plan.round)
        read, embedded = await self._batches(at.reads), await self._batches(at.ends)
        stage, seen = Stage.READING, read
        if len(read) == len(sizes):
            stage, seen = Stage.EMBEDDING, embedded
        if len(embedded) == len(sizes):
            stage = Stage.PUBLISHING
        done = sum(sizes[number] for number in seen if number < len(sizes))
        return RunProgress(run=run, state=RunState.RUNNING, stage=stage, done=done, total=total)

    async def _batches(self, prefix: str) -> list[int]:
        return [int(name.removeprefix(prefix)) for name in await self._desk.work.names(prefix)]


def is_due(files: tuple[DirtyFile, ...], setback: Setback | None, now_ms: int, quiet: Quiet) -> bool:
    """Whether a run should begin by itself. After a setback it waits, unless something new came in."""
    if not files:
        return False
    last = max(file.last_ms for file in files)
    if setback and last <= setback.at_ms:
        return now_ms >= setback.retry_ms
    first = max(min(file.first_ms for file in files), setback.at_ms if setback else 0)
    return now_ms - last >= quiet.quiet_s * 1000 or now_ms - first >= quiet.patience_s * 1000


def setback(claim: Claim, code: str, now_ms: int) -> Setback:
    """What a failure means for the next run: it waits longer each time, for ever where waiting mends nothing."""
    failures = claim.setback.failures + 1 if claim.setback else 1
    wait_ms = min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
    return Setback(
        failures=failures, at_ms=now_ms, retry_ms=NEVER_MS if code in LASTING else now_ms + wait_ms
    )


def _covers(selection: Selection, path: str) -> bool:
    """One source of a file is not the whole file."""
    return selection.source is None and selects(selection, path)
