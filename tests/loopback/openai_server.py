"""
An OpenAI-compatible chat endpoint on the loopback address that answers as it was told, faults
included. Which script answers is chosen by the model's name in the request.

    script = Scripted(steps={"writer": [Says(text="Hello.")]})
    with served(script.app) as base: ...  # base + "/v1" is the base URL
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

SLEEP_AT_MOST_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """A whole answer after `delay_s`, streamed in pieces of `piece_chars`, `pause_s` between them."""

    text: str
    delay_s: float = 0.0
    pause_s: float = 0.0
    piece_chars: int = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuses:
    """An HTTP error in the provider's form."""

    status: int
    code: str = "error"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaks:
    """The beginning of an answer, then a lost connection."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stops:
    """The beginning of an answer, then the end of the stream without a finish reason."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Babbles:
    """Bytes that are no stream of events."""

    raw: bytes = b"data: {this is not json\n\n"


Step = Says | Refuses | Breaks | Stops | Babbles


class LostConnection(Exception):
    """Raised inside a response: the server drops the connection in the middle of the body."""


@dataclass
class Scripted:
    """Answers in turn, the last step again and again; keeps the bodies of the requests."""

    steps: Mapping[str, Sequence[Step]]
    requests: list[dict[str, Any]] = field(default_factory=list)
    given: dict[str, int] = field(default_factory=dict)

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    def asked(self, model: str) -> list[dict[str, Any]]:
        return [request for request in self.requests if request["model"] == model]

    async def _complete(self, request: Request) -> Response:
        try:
            body = await request.json()
        except ClientDisconnect:  # a speculative call that was not needed after all
            return Response(status_code=499)
        self.requests.append(body)
        step = self._next(body["model"])
        match step:
            case Refuses(status=status, code=code, headers=headers):
                error = {"error": {"message": "as scripted", "type": code, "code": code, "param": None}}
                return JSONResponse(error, status, dict(headers))
            case Babbles(raw=raw):
                return Response(raw, media_type="text/event-stream")
            case _:
                return StreamingResponse(_events(step, body["model"]), media_type="text/event-stream")

    def _next(self, model: str) -> Step:
        steps = self.steps[model]
        index = self.given.get(model, 0)
        self.given[model] = index + 1
        return steps[min(index, len(steps) - 1)]


async def _events(step: Says | Breaks | Stops, model: str) -> AsyncIterator[bytes]:
    delay_s, pause_s, size = (
        (step.delay_s, step.pause_s, step.piece_chars) if isinstance(step, Says) else (0.0, 0.0, 7)
    )
    await asyncio.sleep(min(delay_s, SLEEP_AT_MOST_S))
    for start in range(0, len(step.text), size):
        yield _event(model, {"role": "assistant", "content": step.text[start : start + size]})
        await asyncio.sleep(min(pause_s, SLEEP_AT_MOST_S))
    if isinstance(step, Breaks):
        raise LostConnection
    if isinstance(step, Says):
        yield _event(model, {}, finish="stop")
        yield _usage(model, len(step.text))
    yield b"data: [DONE]\n\n"


def _event(model: str, delta: Mapping[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data({**_head(model), "choices": [choice], "usage": None})


def _usage(model: str, chars: int) -> bytes:
    usage = {"prompt_tokens": 100, "completion_tokens": max(1, chars // 4), "total_tokens": 100 + chars // 4}
    return _data({**_head(model), "choices": [], "usage": usage})


def _head(model: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}


def _data(body: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(body)}\n\n".encode()
