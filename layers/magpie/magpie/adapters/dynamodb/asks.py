"""
What was said to an ask, kept for ten minutes, so that the same ask again hears it again.

    ask#A            what was asked with this key (a fingerprint), and in which life of it
    part#A#L#0..n    what was said, a batch at a time; the last one says so
    session#S        which asks a session has made, so that they can be forgotten

`A` and `S` are keyed hashes. What was said is sealed with a key that is drawn from the visitor's
own key, which is stored nowhere: the table alone tells nobody anything, us included.
"""

import asyncio
import hashlib
import hmac
import os
import secrets
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from magpie.adapters.dynamodb.table import ConditionFailed, DynamoTable, Item
from magpie.model import Forgotten
from magpie.ports import Ask, AskClaim, Batch

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEPT_S = 600  # design: parts are kept for ten minutes
NONCE_BYTES = 12


class DynamoAsks:
    """
    The `Asks` port, and `Forgets`. `now_s` is Unix time; `key` is the deployment's signing key.
    Raises on use: DatabaseUnavailable.
    """

    def __init__(self, table: DynamoTable, *, key: str, now_s: Callable[[], float]) -> None:
        self._table = table
        self._key = key.encode()
        self._now_s = now_s

    async def find(self, ask: Ask) -> AskClaim | None:
        item = await self._table.get(self._pk(ask))
        return self._claim(ask, item) if item is not None and self._holds(item) else None

    async def claim(self, ask: Ask) -> AskClaim:
        life = secrets.token_hex(8)
        item: Item = {
            "pk": self._pk(ask),
            "fingerprint": ask.fingerprint,
            "life": life,
            "begun": int(self._now_s()),
            "expires_at": self._expires(),
        }
        noted = asyncio.ensure_future(self._note_session(ask, life))  # beside it: a visitor waits for both
        try:
            await self._table.put(
                item,
                condition="attribute_not_exists(pk) OR expires_at <= :now",
                values={":now": int(self._now_s())},
            )
        except ConditionFailed as exc:
            found = exc.item or await self._table.get(self._pk(ask))
            if not found:
                return await self.claim(ask)
            if found.get("life") != life:  # else it is what we wrote ourselves, and whose answer was lost
                return self._claim(ask, found)
        finally:
            await noted
        return AskClaim(ask=ask, life=life, is_ours=True, is_same=True, begun_s=float(str(item["begun"])))

    async def release(self, claim: AskClaim) -> None:
        # As if it had expired long ago: whoever answers needs no right to delete.
        await self._table.update(self._pk(claim.ask), "SET expires_at = :now", {":now": 0})

    async def append(self, claim: AskClaim, batch: Batch) -> None:
        await self._table.put(
            {
                "pk": self._part(claim, batch.number),
                "said": self._sealed(claim, batch),
                "last": int(batch.is_last),
                "next_by": int(self._now_s() + batch.next_s),
                "expires_at": self._expires(),
            }
        )

    async def batch(self, claim: AskClaim, number: int) -> Batch | None:
        item = await self._table.get(self._part(claim, number))
        if item is None or not self._holds(item):
            return None
        return Batch(
            number=number,
            said=self._opened(claim, number, _bytes(item["said"])),
            is_last=item["last"] == 1,
            next_s=float(str(item["next_by"])) - self._now_s(),
        )

    async def forget(self, session_id: str) -> Forgotten:
        """Every ask of the session that is still kept, and what was said to it."""
        pk = f"session#{self._hash('session', session_id)}"
        item = await self._table.get(pk) or {}
        asks = item.get("asks", frozenset())
        kept = sorted(asks) if isinstance(asks, frozenset) else []
        for ask in kept:
            await self._remove(*ask.split("#"))
        await self._table.delete(pk)
        return Forgotten(asks=len(kept))

    async def _remove(self, ask: str, life: str) -> None:
        number = 0
        while await self._table.get(f"part#{ask}#{life}#{number}") is not None:
            await self._table.delete(f"part#{ask}#{life}#{number}")
            number += 1
        await self._table.delete(f"ask#{ask}")

    async def _note_session(self, ask: Ask, life: str) -> None:
        await self._table.update(
            f"session#{self._hash('session', ask.session_id)}",
            "SET expires_at = :expires ADD asks :asks",
            {
                ":expires": self._expires(),
                ":asks": frozenset({f"{self._hash('ask', ask.key)}#{life}"}),
            },
        )

    # --- Keys and seals -------------------------------------------------------------------------

    def _claim(self, ask: Ask, item: Item) -> AskClaim:
        is_same = hmac.compare_digest(str(item["fingerprint"]), ask.fingerprint)
        return AskClaim(
            ask=ask,
            life=str(item["life"]),
            is_ours=False,
            is_same=is_same,
            begun_s=float(str(item["begun"])),
        )

    def _holds(self, item: Item) -> bool:
        return int(str(item["expires_at"])) > self._now_s()

    def _expires(self) -> int:
        return int(self._now_s()) + KEPT_S

    def _pk(self, ask: Ask) -> str:
        return f"ask#{self._hash('ask', ask.key)}"

    def _part(self, claim: AskClaim, number: int) -> str:
        return f"part#{self._hash('ask', claim.ask.key)}#{claim.life}#{number}"

    def _hash(self, kind: str, what: str) -> str:
        return hmac.digest(self._key, f"magpie/asks/{kind}/{what}".encode(), hashlib.sha256).hex()[:32]

    def _sealed(self, claim: AskClaim, batch: Batch) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._cipher(claim).encrypt(
            nonce, zlib.compress(batch.said), _place(claim, batch.number)
        )

    def _opened(self, claim: AskClaim, number: int, sealed: bytes) -> bytes:
        nonce, said = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
        return zlib.decompress(self._cipher(claim).decrypt(nonce, said, _place(claim, number)))

    def _cipher(self, claim: AskClaim) -> "AESGCM":
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(hmac.digest(self._key, f"magpie/asks/said/{claim.ask.key}".encode(), hashlib.sha256))


def _place(claim: AskClaim, number: int) -> bytes:
    """A batch can't be taken for another one, nor for another answer's."""
    return f"{claim.life}/{number}".encode()


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""
