"""
Sealing small JSON payloads: what we said, or whom we know, carried by the visitor's side.

A sealed text is `KIND.VERSION.PAYLOAD.MAC`, the last two base64url. Each kind has a key of its own,
drawn from the deployment's, so that a ticket can never pass for a receipt. While a key is being changed,
what the previous one sealed is still believed.
"""

import base64
import hashlib
import hmac
import json
import zlib
from collections.abc import Mapping
from typing import Any

MAX_SEALED_CHARS = 16_384


class Sealer:
    """
    Seals and opens payloads of one kind and version. What `previous` sealed, the key before the
    last change, is opened too; nothing is sealed with it. `packed` payloads travel compressed.
    """

    def __init__(
        self, key: str, kind: str, version: int, previous: str = "", *, packed: bool = False
    ) -> None:
        self._head = f"{kind}.{version}"
        self._packed = packed
        self._keys = tuple(self._drawn(one) for one in (key, previous) if one)

    def seal(self, payload: Mapping[str, Any]) -> str:
        raw = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
        body = _encoded(zlib.compress(raw, 9) if self._packed else raw)
        return f"{self._head}.{body}.{_mac(self._keys[0], body)}"

    def open(self, sealed: str) -> Mapping[str, Any] | None:
        """The payload; None for what this key did not seal: altered, foreign, of another version."""
        head, dot, mac = sealed.rpartition(".")
        body = head.removeprefix(f"{self._head}.")
        is_ours = dot and body != head and len(sealed) <= MAX_SEALED_CHARS and sealed.isascii()
        if not is_ours or not any(hmac.compare_digest(mac, _mac(key, body)) for key in self._keys):
            return None
        raw = _decoded(body)  # ours from here on: nobody else can make us unpack anything
        opened: Mapping[str, Any] = json.loads(zlib.decompress(raw) if self._packed else raw)
        return opened

    def _drawn(self, key: str) -> bytes:
        return hmac.digest(key.encode(), f"magpie/{self._head}".encode(), hashlib.sha256)


def _mac(key: bytes, body: str) -> str:
    return _encoded(hmac.digest(key, body.encode(), hashlib.sha256))


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
