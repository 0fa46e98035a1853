"""
An answer in the making: made once, told to whoever listens, kept for whoever asks again.

The making runs beside the telling, so that a visitor who reads slowly, or not at all, holds no
model call open; its own deadline ends it. Without a key nobody can come back, so whoever leaves ends
it. With a key it goes on to its end.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from functions.faults import where
from magpie.asking.events import Event, event
from magpie.asking.sentences import Sentences
from magpie.asking.trail import Clock
from magpie.errors import DatabaseUnavailable, MagpieError
from magpie.model import AnswerId, AnswerPart, Done, Failed
from magpie.ports import AskClaim, Asks, Batch, Stops

from .stopping import Running, watching

logger = logging.getLogger("magpie.chat")

FLUSH_S = 0.4  # how far a listener in another process is behind
LEASE_S = 5.0  # at the latest so long after a batch the next one is written, if only to say that we live
GRACE_S = 3.0  # clocks and writes are not that exact
POLL_S = 0.25
CLOSING_S = 1.0  # after the last byte a Lambda may be frozen: what is to be kept is kept before
MOST_KEPT_BYTES = 512 * 1024  # far more than the longest answer


class Said:
    """All that an answer has said, in order, for any number of listeners."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._is_over = False
        self._news = asyncio.Event()

    def say(self, *told: Event) -> None:
        self.events += told
        self._wake()

    def end(self) -> None:
        self._is_over = True
        self._wake()

    async def heard(self) -> AsyncIterator[Event]:
        """From the first word on, until there is nothing more to come."""
        number = 0
        while True:
            news = self._news
            while number < len(self.events):
                yield self.events[number]
                number += 1
            if self._is_over:
                return
            await news.wait()

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


# --- Making -----------------------------------------------------------------------------------


@dataclass(kw_only=True, slots=True)
class Answering:
    """One answer. `run` makes it; `said` is what listeners hear."""

    answer_id: AnswerId
    own: Sentences
    running: Running
    stops: Stops
    said: Said = field(default_factory=Said)
    keeper: "Keeper | None" = None

    async def run(self, first: AnswerPart, rest: AsyncIterator[AnswerPart]) -> AnswerPart:
        """Until the last part, which is returned. Never raises but when it is cancelled."""
        last = first
        try:
            self.said.say(event(first, self.answer_id))
            async for part in self._until_stopped(rest):
                last = part
                await self._tell(part)
        except Exception as exc:  # a bug of ours: the stream has begun, so the visitor is told by an event
            logger.error("answer failed", extra={"answer_id": self.answer_id, **where(exc)})  # noqa: TRY400
            last = Failed(code="internal", message=self.own.say("internal"))
            await self._tell(last)
        finally:
            self.said.end()
            if self.keeper is not None:
                await self.keeper.close()
            await rest.aclose()  # type: ignore[attr-defined]  # an async generator
        return last

    async def _tell(self, part: AnswerPart) -> None:
        told = event(part, self.answer_id)
        if self.keeper is not None and isinstance(part, Done | Failed):
            await self.keeper.finish(told)
        self.said.say(told)

    async def _until_stopped(self, rest: AsyncIterator[AnswerPart]) -> AsyncIterator[AnswerPart]:
        with self.running.entered(self.answer_id) as stopped:
            async with watching(self.stops, self.answer_id, stopped):
                halt = asyncio.ensure_future(stopped.wait())
                try:
                    while (part := await _next_or_halt(rest, halt)) is not None:
                        yield part
                finally:
                    halt.cancel()
                if stopped.is_set():
                    yield Failed(code="stopped", message=self.own.say("stopped"))


async def _next_or_halt(
    rest: AsyncIterator[AnswerPart], halt: "asyncio.Task[Literal[True]]"
) -> AnswerPart | None:
    """The next part; None at the end, or as soon as the visitor has heard enough."""
    step: asyncio.Task[Any] = asyncio.ensure_future(_next(rest))
    both: set[asyncio.Task[Any]] = {step, halt}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        return None if halt.done() else step.result()
    finally:
        step.cancel()
        await _ended(step)


async def _ended(task: "asyncio.Task[Any]") -> None:
    """
    Until it has ended, even where we are cancelled meanwhile: an async generator that still runs
    can't be closed.
    """
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as exc:
            cancelled = exc
    if cancelled is not None:
        raise cancelled


async def _next(rest: AsyncIterator[AnswerPart]) -> AnswerPart | None:
    return await anext(rest, None)


# --- Keeping ----------------------------------------------------------------------------------


class Keeper:
    """
    Writes down what is said, beside the saying. A table that can't be reached costs the visitor
    nothing but the replay.
    """

    def __init__(self, asks: Asks, claim: AskClaim, said: Said) -> None:
        self._asks = asks
        self._claim = claim
        self._said = said
        self._number = 0
        self._kept = 0
        self._bytes = 0
        self._is_over = False
        self._lock = asyncio.Lock()
        self._task = asyncio.create_task(self._keep())

    async def close(self) -> None:
        """Ends the beside-writing; what was written stays."""
        self._is_over = True
        self._task.cancel()
        await asyncio.wait({self._task})

    async def drop(self) -> None:
        """As if the ask had never come: nothing was said to it."""
        await self.close()
        with suppress(DatabaseUnavailable):  # then it is forgotten in ten minutes
            await self._asks.release(self._claim)

    async def finish(self, last: Event) -> None:
        """The rest, the last event included; within a second, or not at all."""
        try:
            await asyncio.wait_for(self._write((last,), is_last=True), CLOSING_S)
        except TimeoutError:
            self._give_up("TimeoutError")

    async def _keep(self) -> None:
        quiet_s = 0.0
        while not self._is_over:
            await asyncio.sleep(FLUSH_S)
            quiet_s += FLUSH_S
            if len(self._said.events) > self._kept or quiet_s > LEASE_S / 2:
                await self._write()
                quiet_s = 0.0

    async def _write(self, more: Sequence[Event] = (), *, is_last: bool = False) -> None:
        async with self._lock:
            if self._is_over:
                return
            new = [*self._said.events[self._kept :], *more]
            said = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in new).encode()
            is_too_much = self._bytes + len(said) > MOST_KEPT_BYTES
            self._is_over = is_last or is_too_much
            batch = Batch(
                number=self._number,
                said=b"" if is_too_much else said,
                is_last=self._is_over,
                next_s=LEASE_S,
            )
            self._kept += len(new) - len(more)
            self._number += 1
            self._bytes += len(said)
            try:
                await self._asks.append(self._claim, batch)
            except DatabaseUnavailable as exc:
                self._give_up(type(exc).__name__)

    def _give_up(self, kind: str) -> None:
        self._is_over = True
        logger.warning("an answer was not kept", extra={"kind": kind})


# --- Hearing again ----------------------------------------------------------------------------


async def followed(
    asks: Asks, claim: AskClaim, own: Sentences, clock: Clock, poll_s: float = POLL_S
) -> AsyncIterator[Event]:
    """
    What was said to this ask, and what is still being said, whichever process says it. Where that
    one died, an error ends it: nobody knows what became of its calls, so nothing is asked anew.
    """
    try:
        is_over = False
        async for told in _batches(asks, claim, clock, poll_s):
            is_over = told["event"] in {"done", "error"}
            yield told
        if is_over:
            return
    except MagpieError as exc:
        logger.warning("a replay broke off", extra={"kind": type(exc).__name__})
    yield event(Failed(code="interrupted", message=own.say("internal")), "")


async def _batches(asks: Asks, claim: AskClaim, clock: Clock, poll_s: float) -> AsyncIterator[Event]:
    number = 0
    due = clock.monotonic() + claim.begun_s + LEASE_S + GRACE_S - clock.now().timestamp()
    while True:
        batch = await asks.batch(claim, number)
        if batch is None:
            if clock.monotonic() > due:
                return
            await asyncio.sleep(poll_s)
            continue
        for line in batch.said.splitlines():
            yield json.loads(line)
        if batch.is_last:
            return
        due = clock.monotonic() + batch.next_s + GRACE_S
        number += 1
