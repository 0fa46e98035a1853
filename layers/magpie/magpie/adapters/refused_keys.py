"""
A provider that refuses our key: visitors get quotations or keyword search, so nobody but the log can tell
the owner. It says so at once and then every few minutes, never with the key.
"""

import logging
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from magpie.errors import ProviderRefused

logger = logging.getLogger("magpie.models")

UNKNOWN_KEY, NO_RIGHT = 401, 403
TOLD_AGAIN_S = 300.0


class KeyDoor:
    """
    One key at one provider. `variable` is where the key comes from; `base_url` empty: the provider's own
    address. `monotonic` is a clock in seconds.
    """

    def __init__(
        self,
        provider: str,
        variable: str,
        base_url: str = "",
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        host = urlsplit(base_url).hostname
        self._provider = provider
        self._where = f"{provider} (at {host})" if host else provider
        self._variable = variable
        self._monotonic = monotonic
        self._told_at: float | None = None

    def refusal(self, status: int, model: str) -> ProviderRefused:
        """
        The error to raise; told on the log too, unless it was a moment ago. `status`: 401 or 403; `model` is
        empty where the key was only tried, which is told to who tried it.
        """
        refused = refused_key(self._where, self._variable, status, model)
        now = self._monotonic()
        if model and (self._told_at is None or now - self._told_at >= TOLD_AGAIN_S):
            self._told_at = now
            logger.error("%s", refused)
        return ProviderRefused(self._provider, refused, is_free=True, status=status)


def refused_key(where: str, variable: str, status: int, model: str) -> str:
    """What happened, to which key, and what to do."""
    if not model:
        return f"{where} refuses the key in {variable} ({status})"
    if status == NO_RIGHT:
        return (
            f"{where} knows the key in {variable} but does not let it use {model} (403); give the key that right "
            "there, or name another model in the site file"
        )
    return (
        f"{where} refuses the key in {variable} (401), so {model} can't be used; put a valid key there and start "
        "again (`magpie doctor` tries it)"
    )
