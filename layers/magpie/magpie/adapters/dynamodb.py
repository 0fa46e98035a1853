"""
Limits in DynamoDB: exact over any sliding window, one conditional write a check.

An item holds the last N admissions as attributes `t0` (newest) to `tN-1`. Admitting shifts them
all in one write, on the condition that the N-th last is absent or older than the window; so at
most N are ever admitted within any window, however many ask at once. The client's address is
stored only as a keyed hash. Expiry is judged by that condition; `expires_at` lets the table clean up.
"""

import asyncio
import hashlib
import hmac
import logging
import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from magpie.errors import DatabaseUnavailable, SettingsInvalid, TooManyQuestions

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

logger = logging.getLogger("magpie.limits")

MOST_QUESTIONS = 100
"""An update expression has 4 kB and 300 operators: more attributes do not fit."""
CONNECT_TIMEOUT_S = 1.0
READ_TIMEOUT_S = 1.0
POOL = 50


class DynamoLimiter:
    """
    The `Limiter` port. `scope` keeps limits apart that share a table; `now_s` is Unix time.

    Raises on use: DatabaseUnavailable where the table can't be reached. Whether a question is
    then refused or admitted is the site's choice, not this class's.
    """

    def __init__(
        self,
        *,
        table: str,
        key: str,
        questions: int,
        window_s: int,
        now_s: Callable[[], float],
        endpoint_url: str | None = None,
        scope: str = "client",
    ) -> None:
        if not 1 <= questions <= MOST_QUESTIONS:
            raise SettingsInvalid(
                f"limits.questions is {questions}; a sliding window holds 1 to {MOST_QUESTIONS}, so choose a "
                "shorter window_s with fewer questions"
            )
        self._table = table
        self._key = key.encode()
        self._questions = questions
        self._window_ms = window_s * 1000
        self._now_s = now_s
        self._endpoint_url = endpoint_url
        self._scope = scope
        self._update = shift_expression(questions)

    async def admit(self, client: str) -> None:
        """Raises: TooManyQuestions with the exact wait, in whole seconds."""
        await asyncio.to_thread(self._admit, client)

    def close(self) -> None:
        """Gives the connections back."""
        if "_client" in self.__dict__:
            self._client.close()

    def _admit(self, client: str) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        now_ms = int(self._now_s() * 1000)
        try:
            self._client.update_item(**self._request(client, now_ms))
        except ClientError as exc:
            if exc.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise DatabaseUnavailable(f"table {self._table}: {exc.response['Error']['Code']}") from exc
            raise TooManyQuestions(self._wait_s(exc.response, now_ms)) from None
        except BotoCoreError as exc:
            raise DatabaseUnavailable(f"table {self._table} can't be reached ({type(exc).__name__})") from exc

    def _request(self, client: str, now_ms: int) -> dict[str, Any]:
        return {
            "TableName": self._table,
            "Key": {"pk": {"S": f"limit#{self._scope}#{self._hash(client)}"}},
            "UpdateExpression": self._update,
            "ConditionExpression": f"attribute_not_exists({self._oldest}) OR {self._oldest} <= :edge",
            "ExpressionAttributeValues": {
                ":now": _number(now_ms),
                ":none": _number(0),
                ":edge": _number(now_ms - self._window_ms),
                ":expires": _number((now_ms + self._window_ms) // 1000 + 60),
            },
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }

    def _wait_s(self, response: Any, now_ms: int) -> int:
        oldest_ms = int(response.get("Item", {}).get(self._oldest, _number(now_ms))["N"])
        return max(1, math.ceil((oldest_ms + self._window_ms - now_ms) / 1000))

    @property
    def _oldest(self) -> str:
        return f"t{self._questions - 1}"

    def _hash(self, client: str) -> str:
        return hmac.digest(self._key, f"magpie/limit/{client}".encode(), hashlib.sha256).hex()

    @cached_property
    def _client(self) -> "DynamoDBClient":
        import boto3
        from botocore.config import Config

        config = Config(
            connect_timeout=CONNECT_TIMEOUT_S,
            read_timeout=READ_TIMEOUT_S,
            retries={"total_max_attempts": 2, "mode": "standard"},
            max_pool_connections=POOL,
        )
        client: DynamoDBClient = boto3.client("dynamodb", config=config, **_stand_in(self._endpoint_url))
        return client


def shift_expression(questions: int) -> str:
    """`SET t1 = if_not_exists(t0, :none), t0 = :now, expires_at = :expires`, for as many as are kept."""
    shifts = [f"t{n} = if_not_exists(t{n - 1}, :none)" for n in range(questions - 1, 0, -1)]
    return f"SET {', '.join([*shifts, 't0 = :now', 'expires_at = :expires'])}"


def _stand_in(endpoint_url: str | None) -> dict[str, Any]:
    """
    Nothing on AWS. A stand-in takes any credentials, so it gets none that matter.
    """
    if not endpoint_url:
        return {}
    return {
        "endpoint_url": endpoint_url,
        "region_name": "eu-central-1",
        "aws_access_key_id": "local",
        "aws_secret_access_key": "local",
    }


class AdmittingWhenDown:
    """A limiter that lets everybody in while its table can't be reached: the site file's choice."""

    def __init__(self, limiter: DynamoLimiter) -> None:
        self._limiter = limiter

    async def admit(self, client: str) -> None:
        """Raises: TooManyQuestions."""
        try:
            await self._limiter.admit(client)
        except DatabaseUnavailable:
            logger.warning("the table of limits is out of reach; a question was admitted unchecked")


def _number(value: int) -> dict[str, str]:
    return {"N": str(value)}
