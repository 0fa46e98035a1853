"""
Events as bytes: NDJSON, one a line, or SSE. Both carry the same events; both breathe every 15 s.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Final

from anyio import move_on_after

from magpie.asking.events import PING, Event

HEARTBEAT_S = 15.0
CLOSING_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How events travel. `ping` is the heartbeat's own bytes."""

    media_type: str
    encode: Callable[[Event], bytes]
    ping: bytes


def _json(event: Event) -> str:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))


def _line(event: Event) -> bytes:
    # JSON escapes LF and CR; U+2028 and U+2029 are left alone, since NDJSON ends lines with LF only.
    return f"{_json(event)}\n".encode()


def _message(event: Event) -> bytes:
    return f"event: {event['event']}\ndata: {_json(event)}\n\n".encode()


NDJSON: Final = Encoding(media_type="application/x-ndjson", encode=_line, ping=_line(PING))
SSE: Final = Encoding(media_type="text/event-stream", encode=_message, ping=b": ping\n\n")


ENCODINGS: Final = {"ndjson": NDJSON, "sse": SSE}
"""By the names that the site file gives them."""


def encoding_for(accept: str, usual: Encoding = NDJSON) -> Encoding:
    """
    The one of the two that is more wanted; the site's usual one where neither is.
    """
    wishes = dict(_wishes(accept))
    sse, ndjson = (wishes.get(encoding.media_type, 0.0) for encoding in (SSE, NDJSON))
    return usual if sse == ndjson else SSE if sse > ndjson else NDJSON


def _wishes(accept: str) -> Iterable[tuple[str, float]]:
    for choice in accept.lower().split(","):
        media_type, *parameters = (part.strip() for part in choice.split(";"))
        yield media_type, next((_quality(part) for part in parameters if part.startswith("q=")), 1.0)


def _quality(parameter: str) -> float:
    try:
        return float(parameter.removeprefix("q="))
    except ValueError:
        return 0.0


async def encoded(
    events: AsyncIterator[Event], encoding: Encoding, heartbeat_s: float = HEARTBEAT_S
) -> AsyncIterator[bytes]:
    """The events as bytes as they come, a ping whenever nothing came for so long. Closing it closes them."""
    waiting = asyncio.ensure_future(_next(events))
    try:
        while True:
            done, _ = await asyncio.wait({waiting}, timeout=heartbeat_s)
            if not done:
                yield encoding.ping
                continue
            event = waiting.result()
            if event is None:
                return
            yield encoding.encode(event)
            waiting = asyncio.ensure_future(_next(events))
    finally:
        # A visitor who left cancels us again and again; what is open is closed all the same.
        with move_on_after(CLOSING_S, shield=True):
            waiting.cancel()
            await asyncio.wait({waiting})
            await events.aclose()  # type: ignore[attr-defined]  # an async generator of ours


async def _next(events: AsyncIterator[Event]) -> Event | None:
    return await anext(events, None)
