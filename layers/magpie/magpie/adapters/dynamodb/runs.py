"""
Which files are dirty, which runs are wished for, which one goes on: one small table of them all.

An event is one write. A run that has taken files in forgets only those whose count is still the
one that it saw.
"""

import asyncio
from collections.abc import Sequence

from pydantic import TypeAdapter

from magpie.adapters.dynamodb.table import ConditionFailed, DynamoTable, Item
from magpie.model import Claim, DirtyFile, RunId, Setback, Wish

DIRTY, WISH, CLAIM = "dirty#", "wish#", "claim"
TOGETHER = 20
_WISH = TypeAdapter(Wish)


class DynamoDirtyFiles:
    """The `DirtyFiles` port."""

    def __init__(self, table: DynamoTable) -> None:
        self._table = table

    async def note(self, path: str, at_ms: int) -> None:
        """Raises: DatabaseUnavailable."""
        await self._table.update(
            DIRTY + path,
            "SET last_ms = :at, first_ms = if_not_exists(first_ms, :at) ADD times :one",
            {":at": at_ms, ":one": 1},
        )

    async def all(self) -> tuple[DirtyFile, ...]:
        """By path. Raises: DatabaseUnavailable."""
        items = [item for item in await self._table.scan() if str(item["pk"]).startswith(DIRTY)]
        return tuple(sorted(map(_file, items), key=lambda file: file.path))

    async def settle(self, files: Sequence[DirtyFile]) -> None:
        """Raises: DatabaseUnavailable."""
        for start in range(0, len(files), TOGETHER):
            await asyncio.gather(*map(self._settle, files[start : start + TOGETHER]))

    async def _settle(self, file: DirtyFile) -> None:
        try:
            await self._table.delete(
                DIRTY + file.path, condition="times = :seen", values={":seen": file.times}
            )
        except ConditionFailed:
            return  # something happened to it since, or it is settled already


class DynamoWishes:
    """The `Wishes` port."""

    def __init__(self, table: DynamoTable) -> None:
        self._table = table

    async def ask(self, wish: Wish) -> None:
        """Raises: DatabaseUnavailable."""
        await self._table.put({"pk": WISH + wish.run, "wish": _WISH.dump_json(wish).decode()})

    async def all(self) -> tuple[Wish, ...]:
        """By name, which begins with the time. Raises: DatabaseUnavailable."""
        items = [item for item in await self._table.scan() if str(item["pk"]).startswith(WISH)]
        wishes = [_WISH.validate_json(str(item["wish"])) for item in items]
        return tuple(sorted(wishes, key=lambda wish: wish.run))

    async def forget(self, run: RunId) -> None:
        """Raises: DatabaseUnavailable."""
        await self._table.delete(WISH + run)


class DynamoClaims:
    """The `Claims` port: one item, which outlives the runs to remember setbacks."""

    def __init__(self, table: DynamoTable) -> None:
        self._table = table

    async def now(self) -> Claim:
        """Raises: DatabaseUnavailable."""
        item = await self._table.get(CLAIM)
        return Claim() if item is None else _claim(item)

    async def take(self, run: RunId, at_ms: int, *, dead: RunId | None) -> bool:
        """Raises: DatabaseUnavailable."""
        condition = "attribute_not_exists(run)" if dead is None else "run = :dead"
        values: dict[str, int | str] = {":run": run, ":at": at_ms}
        if dead is not None:
            values[":dead"] = dead
        try:
            await self._table.update(CLAIM, "SET run = :run, since_ms = :at", values, condition=condition)
        except ConditionFailed:
            return False
        return True

    async def release(self, run: RunId, setback: Setback | None) -> None:
        """Raises: DatabaseUnavailable."""
        expression, values = "REMOVE run, since_ms, failures, failed_ms, retry_ms", {}
        if setback:
            expression = "SET failures = :failures, failed_ms = :at, retry_ms = :retry REMOVE run, since_ms"
            values = {":failures": setback.failures, ":at": setback.at_ms, ":retry": setback.retry_ms}
        try:
            await self._table.update(CLAIM, expression, {":run": run, **values}, condition="run = :run")
        except ConditionFailed:
            return  # another run has it


def _file(item: Item) -> DirtyFile:
    return DirtyFile(
        path=str(item["pk"]).removeprefix(DIRTY),
        times=_number(item, "times"),
        first_ms=_number(item, "first_ms"),
        last_ms=_number(item, "last_ms"),
    )


def _claim(item: Item) -> Claim:
    setback = None
    if "failures" in item:
        setback = Setback(
            failures=_number(item, "failures"),
            at_ms=_number(item, "failed_ms"),
            retry_ms=_number(item, "retry_ms"),
        )
    run = RunId(str(item["run"])) if "run" in item else None
    return Claim(run=run, since_ms=_number(item, "since_ms"), setback=setback)


def _number(item: Item, name: str) -> int:
    return int(item.get(name, 0))  # type: ignore[arg-type]
