"""
A loopback server that plays what it is told: the widget's files, a config, event streams in any
chunking, refusals. And a second one, another origin, that serves an owner's pages.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from functions.chat.wire import NDJSON, SSE, Encoding, encoding_for
from functions.public.widget_files import WidgetFiles
from functions.public.widget_release import build

ROOT = Path(__file__).resolve().parents[3]
STREAMS = Path(__file__).parent / "streams"
WIDGET = WidgetFiles(newest=build(ROOT / "widget"))

Event = Mapping[str, Any]
Chunking = Callable[[bytes], Iterable[bytes]]


def stream(name: str) -> tuple[Event, ...]:
    """The events of `tests/e2e/widget/streams/NAME.ndjson`."""
    lines = (STREAMS / f"{name}.ndjson").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines if line)


def by_line(body: bytes) -> Iterable[bytes]:
    """As the server writes: a line a chunk."""
    return body.splitlines(keepends=True)


def in_pieces(size: int) -> Chunking:
    """Cut every `size` bytes, inside lines and letters."""
    return lambda body: (body[at : at + size] for at in range(0, len(body), size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """An answer to POST /chat: events, how they are cut, how slowly they come, after which byte they break off."""

    events: Sequence[Event]
    chunking: Chunking = by_line
    pause_s: float = 0.0
    first_s: float = 0.0
    cut_after: int | None = None
    hold: bool = False
    """Keep the stream open after the last event, until the visitor stops or leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    """A problem document, or any other body, in place of a stream."""

    status: int
    code: str = ""
    detail: str = ""
    retry_after_s: int | None = None
    id: str = "0af1c2d3"
    html: str = ""


class Cut(Exception):
    """Breaks the connection."""


def default_config() -> dict[str, Any]:
    """What GET /config says of an agency."""
    return {
        "protocol": 1,
        "site": {
            "key": "agency",
            "name": "Northbank Studio",
            "url": "https://northbank.example",
            "languages": ["en", "pt"],
        },
        "persona": {
            "name": "Nora",
            "greeting": "",
            "disclosure": "I'm a program and can be wrong; the sources are linked.",
        },
        "looks": {
            "accent": "#0f5f66",
            "position": "right",
            "mode": "bubble",
            "theme": "light",
            "starters": [
                "What does a project cost?",
                "Which projects are you proudest of?",
                "What is your latest article?",
            ],
        },
        "handover": {
            "url": "https://northbank.example/contact/",
            "label": "Write to the studio",
            "email": "",
        },
        "feedback": True,
        "writer": "prompted",
        "limits": {"message_chars": 8000, "kept": 50},
    }


@dataclass
class Script:
    """What is played next, and what was asked. Plays run out: the last one is played again."""

    config: dict[str, Any] = field(default_factory=default_config)
    plays: list[Play | Refuse] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    authorization: list[str] = field(default_factory=list)
    encodings: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    rated: list[dict[str, Any]] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    rating_status: int = 204
    page: str = ""
    page_headers: dict[str, str] = field(default_factory=dict)

    def reset(self) -> None:
        """Forget the last test."""
        self.__dict__.update(Script().__dict__)


def assistant_app(script: Script) -> Starlette:
    """The assistant's origin."""

    async def widget(request: Request) -> Response:
        script.fetched.append(request.path_params["path"])
        reply = WIDGET.reply(request.method, request.path_params["path"], dict(request.headers))
        return Response(reply.body, reply.status, dict(reply.headers))

    async def config(_: Request) -> Response:
        script.fetched.append("config")
        return JSONResponse(script.config)

    async def chat(request: Request) -> Response:
        script.asked.append(await request.json())
        script.authorization.append(request.headers.get("authorization", ""))
        play = script.plays.pop(0) if len(script.plays) > 1 else script.plays[0]
        if isinstance(play, Refuse):
            return _refusal(play)
        encoding = encoding_for(request.headers.get("accept", ""), NDJSON)
        script.encodings.append("sse" if encoding is SSE else "ndjson")
        return StreamingResponse(_played(play, script, encoding), media_type=encoding.media_type)

    async def stop(request: Request) -> Response:
        script.stopped.append((await request.json())["answer_id"])
        return Response(status_code=204)

    async def feedback(request: Request) -> Response:
        script.rated.append(await request.json())
        return Response(status_code=script.rating_status)

    return Starlette(
        routes=[
            Route("/widget/{path:path}", widget, methods=["GET", "HEAD"]),
            Route("/config", config),
            Route("/chat", chat, methods=["POST"]),
            Route("/stop", stop, methods=["POST"]),
            Route("/feedback", feedback, methods=["POST"]),
        ],
        middleware=[
            Middleware(
                CORSMiddleware,
                allow_origins=["*"],
                allow_methods=["GET", "POST"],
                allow_headers=["Content-Type", "Authorization"],
                expose_headers=["Retry-After"],
            )
        ],
    )


def owner_app(script: Script) -> Starlette:
    """The owner's origin: every path is the page of the script. `/source/` holds the widget's modules as they are."""

    async def source(request: Request) -> Response:
        text = (ROOT / "widget" / "source" / request.path_params["name"]).read_text(encoding="utf-8")
        return Response(text, media_type="text/javascript")

    async def page(_: Request) -> Response:
        return HTMLResponse(script.page, headers=script.page_headers)

    return Starlette(routes=[Route("/source/{name}", source), Route("/{path:path}", page)])


def _refusal(play: Refuse) -> Response:
    headers = {} if play.retry_after_s is None else {"Retry-After": str(play.retry_after_s)}
    if play.html:
        return HTMLResponse(play.html, play.status, headers)
    body = {
        "type": "about:blank",
        "title": "",
        "status": play.status,
        "detail": play.detail,
        "code": play.code,
        "id": play.id,
    }
    if play.retry_after_s is not None:
        body["retry_after_s"] = play.retry_after_s
    return JSONResponse(body, play.status, headers, media_type="application/problem+json")


async def _played(play: Play, script: Script, encoding: Encoding) -> AsyncIterator[bytes]:
    body = b"".join(encoding.encode(dict(event)) for event in play.events)
    whole = body if play.cut_after is None else body[: play.cut_after]
    await asyncio.sleep(play.first_s)
    for chunk in play.chunking(whole):
        yield chunk
        await asyncio.sleep(play.pause_s)
    if play.cut_after is not None:
        raise Cut
    if play.hold:
        await _until_stopped(script)


async def _until_stopped(script: Script) -> None:
    for _ in range(6000):  # a minute at most: a visitor who leaves ends it
        if script.stopped:
            return
        await asyncio.sleep(0.01)
