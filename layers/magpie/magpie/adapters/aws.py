"""Clients of AWS, made when they are first needed; on a laptop they speak to stand-ins."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from magpie.errors import StorageUnavailable

T = TypeVar("T")

CONNECT_TIMEOUT_S = 3.0
READ_TIMEOUT_S = 30.0
TRIES = 4
POOL = 20


def stand_in(endpoint_url: str | None) -> dict[str, Any]:
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


class LazyClient:
    """
    One service, called beside the event loop. Raises on every use: StorageUnavailable, with the
    code of the service's own error as its `code`.
    """

    def __init__(self, service: str, endpoint_url: str | None = None) -> None:
        self._service = service
        self._endpoint_url = endpoint_url
        self._lock = threading.Lock()
        self._made: Any = None

    async def call(self, operation: str, **request: Any) -> Any:
        """The answer to one request."""
        return await asyncio.to_thread(partial(self._blocking, operation, request, _as_it_is))

    async def body(self, operation: str, **request: Any) -> bytes:
        """The bytes of the answer's body, read to their end."""
        return await asyncio.to_thread(partial(self._blocking, operation, request, _body))

    def close(self) -> None:
        """Gives the connections back."""
        if self._made is not None:
            self._made.close()

    def _blocking(self, operation: str, request: dict[str, Any], take: Callable[[Any], T]) -> T:
        from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

        try:
            return take(getattr(self._client(), operation)(**request))
        except ClientError as exc:
            code = exc.response["Error"]["Code"]
            raise StorageUnavailable(f"{self._service}: {operation}: {code}", code=code) from exc
        except (BotoCoreError, HTTPClientError) as exc:
            raise StorageUnavailable(f"{self._service} can't be reached ({type(exc).__name__})") from exc

    def _client(self) -> Any:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> Any:
        import boto3
        from botocore.config import Config

        config = Config(
            connect_timeout=CONNECT_TIMEOUT_S,
            read_timeout=READ_TIMEOUT_S,
            retries={"total_max_attempts": TRIES, "mode": "standard"},
            max_pool_connections=POOL,
        )
        return boto3.client(self._service, config=config, **stand_in(self._endpoint_url))  # type: ignore[call-overload]


def _as_it_is(answer: Any) -> Any:
    return answer


def _body(answer: Any) -> bytes:
    with answer["Body"] as stream:
        return bytes(stream.read())
