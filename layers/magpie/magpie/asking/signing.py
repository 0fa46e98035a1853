"""
Sealing small JSON payloads: what we said, or whom we know, carried by the visitor's side.

A sealed text is `KIND.VERSION.PAYLOAD.MAC`, the last two base64url. Each kind has a key of its own,
drawn from the deployment's, so that a ticket can never pass for a receipt.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

MAX_SEALED_CHARS = 16_384


class Sealer:
    """Seals and opens payloads of one kind and version."""

    def __init__(self, key: str, kind: str, version: int) -> None:
        self._head = f"{kind}.{version}"
        self._key = hmac.digest(key.encode(), f"magpie/{self._head}".encode(), hashlib.sha256)

    def seal(self, payload: Mapping[str, Any]) -> str:
        body = _encoded(
            json.dumps(payload, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
        )
        return f"{self._head}.{body}.{self._mac(body)}"

    def open(self, sealed: str) -> Mapping[str, Any] | None:
        """The payload; None for what this key did not seal: altered, foreign, of another version."""
        head, dot, mac = sealed.rpartition(".")
        body = head.removeprefix(f"{self._head}.")
        is_ours = dot and body != head and len(sealed) <= MAX_SEALED_CHARS and sealed.isascii()
        if not is_ours or not hmac.compare_digest(mac, self._mac(body)):
            return None
        opened: Mapping[str, Any] = json.loads(_decoded(body))
        return opened

    def _mac(self, body: str) -> str:
        return _encoded(hmac.digest(self._key, body.encode(), hashlib.sha256))


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
