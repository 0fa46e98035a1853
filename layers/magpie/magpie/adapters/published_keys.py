"""
The keys that an identity provider publishes (a JSON Web Key Set), kept for a while.

One fixed address of the deployment: no redirect is followed, an answer is read for so long and so
far only, and nothing in a token can name another place. A key that is not known is looked for
again, since providers change their keys; but seldom, so that invented key ids cost nobody anything.
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import urllib3
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from magpie.errors import ProviderUnavailable

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a private key only: a published key can't sign by any of these."""

FRESH_S = 600.0
USABLE_S = 3600.0  # while the provider can't be reached, what was fetched last still serves for so long
LOOK_AGAIN_S = 30.0
RETRY_S = 5.0
FETCH_S = 3.0
MAX_BYTES = 64 * 1024
MAX_KEYS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySet:
    """Usable keys by id; `fetched_at` is a reading of the monotonic clock."""

    keys: Mapping[str, PyJWK]
    fetched_at: float

    def find(self, key_id: str | None) -> PyJWK | None:
        """A token that names no key means the only one."""
        if key_id is None:
            return next(iter(self.keys.values())) if len(self.keys) == 1 else None
        return self.keys.get(key_id)


class PublishedKeys:
    """The key set at `url`. Safe for concurrent use: one fetch at a time, and all wait for it."""

    def __init__(self, url: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._monotonic = monotonic
        self._known: KeySet | None = None
        self._tried_at: float | None = None
        self._fetching = asyncio.Lock()

    async def find(self, key_id: str | None) -> PyJWK | None:
        """The key, or None where the provider has none of that id. Raises: ProviderUnavailable."""
        known = await self._fresh()
        found = known.find(key_id)
        if found is None and self._age(known) >= LOOK_AGAIN_S:
            found = (await self._refreshed(known)).find(key_id)
        return found

    def _age(self, keys: KeySet) -> float:
        return self._monotonic() - keys.fetched_at

    async def _fresh(self) -> KeySet:
        if self._known is not None and self._age(self._known) < FRESH_S:
            return self._known
        return await self._refreshed(self._known)

    async def _refreshed(self, seen: KeySet | None) -> KeySet:
        """A newer set than the one that was seen; that one where the provider is away and it still serves."""
        async with self._fetching:
            if self._known is not seen and self._known is not None:
                return self._known
            try:
                self._known = await self._fetched()
            except ProviderUnavailable:
                if seen is None or self._age(seen) >= USABLE_S:
                    raise
                return seen
            return self._known

    async def _fetched(self) -> KeySet:
        now = self._monotonic()
        if self._tried_at is not None and now - self._tried_at < RETRY_S:
            raise ProviderUnavailable("identity provider", "its keys could not be fetched a moment ago")
        self._tried_at = now
        body = await asyncio.to_thread(_fetch, self._url)
        keys = _usable(body)
        self._tried_at = None
        return KeySet(keys=keys, fetched_at=now)


def _fetch(url: str) -> bytes:
    deadline = time.monotonic() + FETCH_S
    timeout = urllib3.Timeout(connect=FETCH_S, read=FETCH_S)
    with urllib3.PoolManager(num_pools=1) as pool:
        try:
            with pool.request(
                "GET",
                url,
                headers={"Accept": "application/json", "Accept-Encoding": "identity"},
                timeout=timeout,
                redirect=False,
                retries=False,
                preload_content=False,
            ) as response:
                return _body(response, deadline)
        except urllib3.exceptions.HTTPError as exc:
            raise _unusable(f"its keys can't be fetched ({type(exc).__name__})") from exc


def _body(response: urllib3.BaseHTTPResponse, deadline: float) -> bytes:
    if response.status != 200:
        raise _unusable(f"answers {response.status} where its keys should be; check MAGPIE_JWT_KEYS_URL")
    body = bytearray()
    while piece := response.read1(4096):  # what has come, not more: a slow sender is seen in time
        body += piece
        if len(body) > MAX_BYTES:
            raise _unusable(f"its keys are over {MAX_BYTES // 1024} kB")
        if time.monotonic() > deadline:
            raise _unusable(f"its keys take longer than {FETCH_S:.0f} s")
    return bytes(body)


def _usable(body: bytes) -> Mapping[str, PyJWK]:
    """Public keys for signatures, by id; whatever else stands in the set is passed over."""
    try:
        rows = json.loads(body)["keys"]
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        raise _unusable("what it gives is no key set") from exc
    if not isinstance(rows, list):
        raise _unusable("what it gives is no key set")
    found = (_key(row) for row in rows[:MAX_KEYS])
    keys = {key.key_id or "": key for key in found if key is not None}
    if not keys:
        raise _unusable("none of its keys can check a signature")
    return keys


def _key(row: Any) -> PyJWK | None:
    if not isinstance(row, dict) or row.get("use", "sig") != "sig" or row.get("kty") == "oct":
        return None
    try:
        key = PyJWK(row)
    except (PyJWTError, ValueError, TypeError):
        return None
    return key if key.algorithm_name in ALGORITHMS else None


def _unusable(reason: str) -> ProviderUnavailable:
    return ProviderUnavailable("identity provider", reason)
