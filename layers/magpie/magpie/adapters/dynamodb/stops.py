"""Answers that visitors told to stop, for whichever process is giving them."""

from collections.abc import Callable

from magpie.adapters.dynamodb.table import DynamoTable
from magpie.model import AnswerId

KEPT_S = 600  # no answer takes that long, nor is its replay kept longer


class DynamoStops:
    """The `Stops` port. `now_s` is Unix time. Raises on use: DatabaseUnavailable."""

    def __init__(self, table: DynamoTable, now_s: Callable[[], float]) -> None:
        self._table = table
        self._now_s = now_s

    async def stop(self, answer_id: AnswerId) -> None:
        """Twice does no harm; nor does an answer that is unknown, or has ended."""
        await self._table.put({"pk": _key(answer_id), "expires_at": int(self._now_s()) + KEPT_S})

    async def is_stopped(self, answer_id: AnswerId) -> bool:
        """Whether its visitor has heard enough."""
        item = await self._table.get(_key(answer_id))
        return item is not None and int(str(item["expires_at"])) > self._now_s()


def _key(answer_id: AnswerId) -> str:
    return f"stop#{answer_id}"
