"""
Limits, exact over any sliding window: one conditional write a check.

An item holds the last N admissions as attributes `t0` (newest) to `tN-1`. Admitting shifts them
all in one write, on the condition that the N-th last is absent or older than the window and that
none is newer than now; so at most N are ever admitted within any window, however many ask at once
and however their clocks differ.
"""

import logging
import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from magpie.adapters.dynamodb.table import ConditionFailed, DynamoTable, Item
from magpie.adapters.rotating import RotatingKeys
from magpie.errors import DatabaseUnavailable, SettingsInvalid, TooManyQuestions
from magpie.ports import Caller, Limiter

logger = logging.getLogger("magpie.limits")

MOST_QUESTIONS = 100
"""An update expression has 4 kB and 300 operators: more attributes do not fit."""
TRIES = 5  # a write that lost against another one looks again; more than this many lose to a flood
DAY_S = 86_400


class SlidingWindow:
    """
    At most `questions` of one kind of asker in any `window_s`. `scope` keeps limits apart that share
    a table; `now_s` is Unix time.

    Raises on use: DatabaseUnavailable where the table can't be reached. Whether a question is
    then refused or admitted is the site's choice, not this class's.
    """

    def __init__(
        self,
        table: DynamoTable,
        keys: RotatingKeys,
        *,
        questions: int,
        window_s: int,
        now_s: Callable[[], float],
        scope: str = "client",
    ) -> None:
        if not 1 <= questions <= MOST_QUESTIONS:
            raise SettingsInvalid(
                f"limits.questions is {questions}; a sliding window holds 1 to {MOST_QUESTIONS}, so choose a "
                "shorter window_s with fewer questions"
            )
        self._table = table
        self._keys = keys
        self._questions = questions
        self._window_ms = window_s * 1000
        self._now_s = now_s
        self._scope = scope
        self._update = shift_expression(questions)

    async def admit(self, whom: str) -> None:
        """Raises: TooManyQuestions with the exact wait, in whole seconds."""
        now_ms = self._now_ms()
        pk = self._pk(self._keys.current(self._now_s()), whom)
        for _ in range(TRIES):
            earlier = await self._under_earlier_keys(whom, now_ms)
            self._refuse_if_full(earlier, now_ms)
            try:
                await self._shift(pk, now_ms, room=self._questions - len(earlier))
            except ConditionFailed as exc:
                times = _times(exc.item or await self._table.get(pk) or {})
                now_ms = max(now_ms, self._now_ms(), *times[:1])
                self._refuse_if_full((*times, *earlier), now_ms)
            else:
                return
        raise TooManyQuestions(1, limit=self._scope)

    async def _shift(self, pk: str, now_ms: int, room: int) -> None:
        oldest = f"t{room - 1}"
        await self._table.update(
            pk,
            self._update,
            {
                ":now": now_ms,
                **({":none": 0} if self._questions > 1 else {}),  # a value that is not used is refused
                ":edge": now_ms - self._window_ms,
                ":expires": (now_ms + self._window_ms) // 1000 + 60,
            },
            condition=f"(attribute_not_exists({oldest}) OR {oldest} <= :edge) "
            "AND (attribute_not_exists(t0) OR t0 <= :now)",
        )

    async def _under_earlier_keys(self, whom: str, now_ms: int) -> tuple[int, ...]:
        """Admissions of this window that were noted under a key which has changed since."""
        keys = self._keys.earlier(self._now_s(), self._window_ms // 1000)
        items = [await self._table.get(self._pk(key, whom)) for key in keys]
        edge = now_ms - self._window_ms
        return tuple(time for item in items if item for time in _times(item) if time > edge)

    def _refuse_if_full(self, times: Sequence[int], now_ms: int) -> None:
        newest_first = sorted(times, reverse=True)
        if len(newest_first) < self._questions:
            return
        left_ms = newest_first[self._questions - 1] + self._window_ms - now_ms
        if left_ms > 0:
            raise TooManyQuestions(max(1, math.ceil(left_ms / 1000)), limit=self._scope)

    def _pk(self, key: bytes, whom: str) -> str:
        return f"limit#{self._scope}#{RotatingKeys.hashed(key, whom)}"

    def _now_ms(self) -> int:
        return int(self._now_s() * 1000)


class DailyCeiling:
    """At most so many questions of a whole site on one day, UTC."""

    def __init__(self, table: DynamoTable, *, site: str, questions: int, now_s: Callable[[], float]) -> None:
        self._table = table
        self._site = site
        self._questions = questions
        self._now_s = now_s

    async def admit(self) -> None:
        """Raises: TooManyQuestions with the wait until the next day; DatabaseUnavailable."""
        now = int(self._now_s())
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        try:
            await self._table.update(
                f"day#{self._site}#{day}",
                "SET expires_at = :expires ADD questions :one",
                {":one": 1, ":ceiling": self._questions, ":expires": now + 2 * DAY_S},
                condition="attribute_not_exists(questions) OR questions < :ceiling",
            )
        except ConditionFailed:
            raise TooManyQuestions(DAY_S - now % DAY_S, limit="site_day") from None


class SiteLimiter:
    """
    The `Limiter` port: every limit of a site, the narrowest first, so that who is refused for his own
    pace takes nothing from those who share his address.
    """

    def __init__(
        self,
        *,
        tickets: SlidingWindow | None,
        sessions: SlidingWindow | None,
        addresses: SlidingWindow,
        replays: SlidingWindow,
        day: DailyCeiling,
    ) -> None:
        self._tickets = tickets
        self._sessions = sessions
        self._addresses = addresses
        self._replays = replays
        self._day = day

    async def admit(self, caller: Caller) -> None:
        """Raises: TooManyQuestions, DatabaseUnavailable."""
        if self._tickets is not None and caller.is_new:
            await self._tickets.admit(caller.address)
        if self._sessions is not None:
            await self._sessions.admit(caller.session_id)
        await self._addresses.admit(caller.address)
        await self._day.admit()

    async def admit_again(self, caller: Caller) -> None:
        """Raises: TooManyQuestions, DatabaseUnavailable."""
        await self._replays.admit(caller.address)


class AdmittingWhenDown:
    """A limiter that lets everybody in while its table can't be reached: the site file's choice."""

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter

    async def admit(self, caller: Caller) -> None:
        """Raises: TooManyQuestions."""
        try:
            await self._limiter.admit(caller)
        except DatabaseUnavailable:
            logger.warning("the table of limits is out of reach; a question was admitted unchecked")

    async def admit_again(self, caller: Caller) -> None:
        """Raises: TooManyQuestions."""
        try:
            await self._limiter.admit_again(caller)
        except DatabaseUnavailable:
            logger.warning("the table of limits is out of reach; a replay was admitted unchecked")


def shift_expression(questions: int) -> str:
    """`SET t1 = if_not_exists(t0, :none), t0 = :now, expires_at = :expires`, for as many as are kept."""
    shifts = [f"t{n} = if_not_exists(t{n - 1}, :none)" for n in range(questions - 1, 0, -1)]
    return f"SET {', '.join([*shifts, 't0 = :now', 'expires_at = :expires'])}"


def _times(item: Item) -> tuple[int, ...]:
    """The admissions that an item holds, newest first as they came."""
    found: list[int] = []
    while isinstance(time := item.get(f"t{len(found)}"), int) and time > 0:
        found.append(time)
    return tuple(found)
