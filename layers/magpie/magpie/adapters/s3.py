"""A corpus in a bucket, and the work of runs in another one."""

import hashlib
import json
from collections.abc import AsyncIterator
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from magpie.adapters.aws import LazyClient
from magpie.errors import DocumentRefused, StorageUnavailable
from magpie.model import Document

T = TypeVar("T")

MISSING = frozenset({"NoSuchKey", "404"})
MOST_MB = 100
"""No site file may allow more (`safety.max_file_mb`): what is larger is not even fetched."""


class S3Corpus:
    """The `CorpusStore` port over the keys that begin with `prefix`."""

    def __init__(
        self, bucket: str, prefix: str, endpoint_url: str | None = None, *, most_mb: int = MOST_MB
    ) -> None:
        self._bucket = bucket
        self._prefix = prefix
        self._most_mb = most_mb
        self._client = LazyClient("s3", endpoint_url)

    def path_of(self, key: str) -> str | None:
        """The file that a key of the bucket is; None for a folder's mark, and for what is outside of the corpus."""
        path = key.removeprefix(self._prefix)
        is_outside = not key.startswith(self._prefix)
        return None if is_outside or not path or path.endswith("/") else path

    async def paths(self) -> AsyncIterator[tuple[str, int]]:
        """Sorted by path. Raises: StorageUnavailable."""
        found = []
        async for item in _listed(self._client, self._bucket, self._prefix):
            path = self.path_of(item["Key"])
            if path is not None:
                found.append((path, int(item["Size"])))
        for one in sorted(found):  # S3 sorts by UTF-8, folders sort by code points: nearly, but not quite
            yield one

    async def read(self, path: str) -> Document:
        """Raises: DocumentRefused `missing`, `too_large`; StorageUnavailable."""
        limit = self._most_mb * 1024 * 1024
        where = {"Bucket": self._bucket, "Key": self._prefix + path}
        try:
            # One byte more than may be tells that there is more, whatever the object says of itself.
            raw = await self._client.body("get_object", **where, Range=f"bytes=0-{limit}")
        except StorageUnavailable as exc:
            if exc.code == "InvalidRange":  # an empty object has no first byte
                raw = b""
            elif exc.code in MISSING:
                raise DocumentRefused(path, "missing", "is not in the corpus") from exc
            else:
                raise
        if len(raw) > limit:
            raise DocumentRefused(path, "too_large", f"has more than {self._most_mb} MB")
        return Document(path=path, raw=raw, raw_hash=hashlib.sha256(raw).hexdigest())

    async def write(self, path: str, raw: bytes) -> None:
        """Whole or not at all, as S3 does it. Raises: StorageUnavailable."""
        await self._client.call("put_object", Bucket=self._bucket, Key=self._prefix + path, Body=raw)

    async def remove(self, path: str) -> None:
        """No error where there is none. Raises: StorageUnavailable."""
        await self._client.call("delete_object", Bucket=self._bucket, Key=self._prefix + path)

    async def erase(self, path: str) -> int:
        """
        The file with every earlier version of it, for what should never have been there; how many went.

        Raises: StorageUnavailable.
        """
        return await _erase(self._client, self._bucket, self._prefix + path)

    def close(self) -> None:
        """Gives the connections back."""
        self._client.close()


class S3Work:
    """The `ErasableWork` port: a JSON object a value, under `runs/`."""

    def __init__(self, bucket: str, endpoint_url: str | None = None, prefix: str = "runs/") -> None:
        self._bucket = bucket
        self._prefix = prefix
        self._client = LazyClient("s3", endpoint_url)

    def key_of(self, name: str) -> str:
        """Where a name's value lies in the bucket."""
        return f"{self._prefix}{name}"

    async def keep(self, name: str, value: object) -> None:
        """Raises: StorageUnavailable."""
        await self._client.call(
            "put_object",
            Bucket=self._bucket,
            Key=self.key_of(name),
            Body=json.dumps(_adapter(_kind(value)).dump_python(value, mode="json")).encode(),
            ContentType="application/json",
        )

    async def find(self, name: str, kind: type[T]) -> T | None:
        """Raises: StorageUnavailable."""
        try:
            raw = await self._client.body("get_object", Bucket=self._bucket, Key=self.key_of(name))
        except StorageUnavailable as exc:
            if exc.code in MISSING:
                return None
            raise
        adapter: TypeAdapter[T] = _adapter(kind)
        return adapter.validate_json(raw)

    async def names(self, prefix: str) -> tuple[str, ...]:
        """In the bucket's order. Raises: StorageUnavailable."""
        start = self.key_of(prefix)
        keys = [item["Key"] async for item in _listed(self._client, self._bucket, start)]
        return tuple(key.removeprefix(self._prefix) for key in keys)

    async def erase(self, name: str) -> int:
        """Every version of it. Raises: StorageUnavailable."""
        return await _erase(self._client, self._bucket, self.key_of(name))

    def close(self) -> None:
        """Gives the connections back."""
        self._client.close()


async def _erase(client: LazyClient, bucket: str, key: str) -> int:
    held = [version async for version in _versions(client, bucket, key)]
    for version in held:
        await client.call("delete_object", Bucket=bucket, Key=key, VersionId=version)
    return len(held)


async def _versions(client: LazyClient, bucket: str, key: str) -> AsyncIterator[str]:
    """Each version of one object, marks of deletion among them."""
    more: dict[str, str] = {}
    while True:
        page = await client.call("list_object_versions", Bucket=bucket, Prefix=key, **more)
        for item in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
            if item["Key"] == key:  # a prefix is also that of other files
                yield item["VersionId"]
        if not page.get("IsTruncated"):
            return
        more = {"KeyMarker": page["NextKeyMarker"], "VersionIdMarker": page["NextVersionIdMarker"]}


async def _listed(client: LazyClient, bucket: str, prefix: str) -> AsyncIterator[Any]:
    more: dict[str, str] = {}
    while True:
        page = await client.call("list_objects_v2", Bucket=bucket, Prefix=prefix, **more)
        for item in page.get("Contents", ()):
            yield item
        if not page.get("IsTruncated"):
            return
        more = {"ContinuationToken": page["NextContinuationToken"]}


def _kind(value: object) -> Any:
    """A list's items are of one kind."""
    return list[type(value[0])] if isinstance(value, list) and value else type(value)  # type: ignore[misc]


def _adapter(kind: Any) -> TypeAdapter[Any]:
    return _cached_adapter(kind)


@cache
def _cached_adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
