"""
Keyed hashes of what must not be stored, under keys that change each day.

What was stored on one day can't be linked with what was stored on another, not even by us: the
day's key is drawn from the deployment's. So that a limit holds over midnight, and over a change of
the deployment's own key, the keys before are told for as long as they matter.
"""

import hashlib
import hmac

PERIOD_S = 86_400


class RotatingKeys:
    """`previous` is the deployment's key before the last change; empty where it is long gone."""

    def __init__(self, key: str, previous: str = "", period_s: int = PERIOD_S) -> None:
        self._key = key
        self._previous = previous
        self._period_s = period_s

    def current(self, now_s: float) -> bytes:
        """The key that is written with now."""
        return _drawn(self._key, self._period(now_s))

    def earlier(self, now_s: float, window_s: int) -> tuple[bytes, ...]:
        """Keys under which something of the last `window_s` may have been written."""
        period = self._period(now_s)
        periods = [period] if now_s - period * self._period_s >= window_s else [period, period - 1]
        own = [_drawn(self._key, one) for one in periods[1:]]
        former = [_drawn(self._previous, one) for one in periods] if self._previous else []
        return (*own, *former)

    @staticmethod
    def hashed(key: bytes, what: str) -> str:
        """128 bits of it, hex: nobody finds another one with the same."""
        return hmac.digest(key, what.encode(), hashlib.sha256).hex()[:32]

    def _period(self, now_s: float) -> int:
        return int(now_s) // self._period_s


def _drawn(key: str, period: int) -> bytes:
    return hmac.digest(key.encode(), f"magpie/limit/{period}".encode(), hashlib.sha256)
