"""
One table with a string key `pk`, asked beside the event loop. Its errors are ours.
"""

import asyncio
import threading
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from magpie.adapters.aws import stand_in
from magpie.errors import TableUnavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Value = int | str | bytes | frozenset[str]
Item = Mapping[str, Value]

CONNECT_TIMEOUT_S = 1.0
READ_TIMEOUT_S = 1.0
POOL = 50
TRIES = 2


class ConditionFailed(Exception):
    """A condition did not hold. `item` is what stands there, where the table told it."""

    def __init__(self, item: Item | None) -> None:
        super().__init__("the condition does not hold")
        self.item = item


class DynamoTable:
    """
    Items in and out as plain values. Raises on every use: TableUnavailable where the table can't
    be reached or refuses; ConditionFailed from a conditional write.

    A request without an answer is sent again, so a write may be done twice: `tries=1` where that would be wrong.
    """

    def __init__(self, name: str, endpoint_url: str | None = None, *, tries: int = TRIES) -> None:
        self.name = name
        self._endpoint_url = endpoint_url
        self._tries = tries
        self._lock = threading.Lock()
        self._made: DynamoDBClient | None = None

    async def get(self, pk: str) -> Item | None:
        """The item as it stands now, not as it stood a moment ago."""
        answer = await self._call("get_item", Key=_item({"pk": pk}), ConsistentRead=True)
        found = answer.get("Item")
        return None if found is None else _plain(found)

    async def update(
        self,
        pk: str,
        expression: str,
        values: Item,
        *,
        condition: str | None = None,
        names: Mapping[str, str] | None = None,
    ) -> Item:
        """One write; the attributes that it set, as they stand after it."""
        optional: dict[str, Any] = {"ExpressionAttributeNames": dict(names)} if names else {}
        if condition:
            optional |= {
                "ConditionExpression": condition,
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        answer = await self._call(
            "update_item",
            Key=_item({"pk": pk}),
            UpdateExpression=expression,
            ExpressionAttributeValues=_item(values),
            ReturnValues="UPDATED_NEW",
            **optional,
        )
        return _plain(answer.get("Attributes", {}))

    async def put(self, item: Item, *, condition: str | None = None, values: Item | None = None) -> None:
        """Writes the item whole."""
        optional: dict[str, Any] = {"ConditionExpression": condition} if condition else {}
        if values:
            optional["ExpressionAttributeValues"] = _item(values)
        await self._call("put_item", Item=_item(item), **optional)

    async def delete(self, pk: str, *, condition: str | None = None, values: Item | None = None) -> None:
        """Takes the item away; none is as good, where no condition asks for one."""
        optional: dict[str, Any] = {"ConditionExpression": condition} if condition else {}
        if values:
            optional["ExpressionAttributeValues"] = _item(values)
        await self._call("delete_item", Key=_item({"pk": pk}), **optional)

    async def scan(self) -> tuple[Item, ...]:
        """All that the table holds, as it stands now: for a small one."""
        found: list[Item] = []
        start: dict[str, Any] = {}
        while True:
            page = await self._call("scan", ConsistentRead=True, **start)
            found += map(_plain, page["Items"])
            if "LastEvaluatedKey" not in page:
                return tuple(found)
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def close(self) -> None:
        """Gives the connections back."""
        if self._made is not None:
            self._made.close()

    async def _call(self, operation: str, **request: Any) -> Any:
        return await asyncio.to_thread(partial(self._blocking, operation, request))

    def _blocking(self, operation: str, request: Mapping[str, Any]) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return getattr(self._client(), operation)(TableName=self.name, **request)
        except ClientError as exc:
            code = exc.response["Error"]["Code"]
            if code != "ConditionalCheckFailedException":
                raise TableUnavailable(f"table {self.name}: {code}") from exc
            found: Any = exc.response.get("Item")
            raise ConditionFailed(None if found is None else _plain(found)) from None
        except BotoCoreError as exc:
            raise TableUnavailable(f"table {self.name} can't be reached ({type(exc).__name__})") from exc

    def _client(self) -> "DynamoDBClient":
        with self._lock:
            if self._made is None:
                self._made = _made(self._endpoint_url, self._tries)
            return self._made


def _made(endpoint_url: str | None, tries: int) -> "DynamoDBClient":
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=READ_TIMEOUT_S,
        retries={"total_max_attempts": tries, "mode": "standard"},
        max_pool_connections=POOL,
    )
    client: DynamoDBClient = boto3.client("dynamodb", config=config, **stand_in(endpoint_url))
    return client


# --- Values -----------------------------------------------------------------------------------


def _item(values: Item) -> dict[str, Any]:
    return {name: _wire(value) for name, value in values.items()}


def _wire(value: Value) -> dict[str, Any]:
    match value:
        case int():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case bytes():
            return {"B": value}
        case frozenset():
            return {"SS": sorted(value)}


def _plain(item: Mapping[str, Any]) -> Item:
    return {name: _value(*next(iter(wire.items()))) for name, wire in item.items()}


def _value(kind: str, value: Any) -> Value:
    match kind:
        case "N":
            return int(value)
        case "SS":
            return frozenset(value)
        case "B":
            return bytes(value)
        case _:
            return str(value)
