"""
Trying again, politely: the waits of the ledger with jitter, a provider's Retry-After honoured.

Only what may pass by itself is tried again (429, 5xx, a lost connection). A refusal, an
exhausted quota and a deadline go up at once.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from magpie.errors import DeadlineExceeded, ProviderRefused, ProviderUnavailable, QuotaExhausted

T = TypeVar("T")

INGEST_WAITS_S = (0.5, 1.0, 2.0, 4.0, 8.0)  # ledger P7
NO_WAITS: tuple[float, ...] = ()
JITTER = 0.25  # of the wait, added: spreads clients that failed together
LONGEST_WAIT_S = 60.0  # a Retry-After beyond this is somebody else's problem


async def with_retries(
    call: Callable[[], Awaitable[T]],
    waits_s: Sequence[float],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> T:
    """Await `call` until it succeeds or the waits are used up. Raises what the last try raised."""
    for wait_s in waits_s:
        try:
            return await call()
        except (QuotaExhausted, ProviderRefused, DeadlineExceeded):
            raise
        except ProviderUnavailable as exc:
            if (exc.retry_after_s or 0) > LONGEST_WAIT_S:
                raise
            await sleep(_wait(wait_s, exc.retry_after_s))
    return await call()


def _wait(wait_s: float, retry_after_s: float | None) -> float:
    jittered = wait_s * (1 + JITTER * random.random())
    return max(jittered, retry_after_s or 0.0)
