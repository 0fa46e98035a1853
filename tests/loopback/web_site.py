"""
A website on loopback that says what it is told to, and notes what it was asked.

Names lead to it by `names_to`, a resolver of its own: no test looks a name up on the internet.
"""

import asyncio
import ipaddress
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tests.loopback.serving import served

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """One answer; `pieces` are sent one by one, each after a rest of `rest_s`."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Callable[[], Iterator[bytes]] | None = None
    rest_s: float = 0.0


def page(text: str, status: int = 200, **headers: str) -> Says:
    """A page of HTML with a paragraph; a header's underscores become hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = (
        text
        if text.startswith("<")
        else f"<html><body><main><h1>{text}</h1><p>{text}.</p></main></body></html>"
    )
    return Says(body=body.encode(), status=status, headers={"content-type": HTML, **named})


def moved(to: str, status: int = 301) -> Says:
    return Says(status=status, headers={"location": to})


def xml(body: str) -> Says:
    return Says(body=body.encode(), headers={"content-type": "application/xml"})


def sitemap(*addresses: str) -> Says:
    entries = "".join(f"<url><loc>{address}</loc></url>" for address in addresses)
    return xml(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>')


@dataclass
class WebSite:
    """
    `answers` by path with its query; several answers to one path are given in turn, the last one
    again and again. A page with an `etag` answers 304 to who holds it.
    """

    answers: dict[str, Says | list[Says]] = field(default_factory=dict)
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    port: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def paths(self) -> list[str]:
        """What was asked for, robots.txt left out."""
        return [path for path, _ in self.asked if path != "/robots.txt"]

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self._answer, methods=["GET", "HEAD"])])

    async def _answer(self, request: Request) -> Response:
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        said = self._said(path, dict(request.headers))
        if said.headers.get("etag") and request.headers.get("if-none-match") == said.headers["etag"]:
            return Response(status_code=304, headers={"etag": said.headers["etag"]})
        if said.pieces is None:
            return Response(said.body, said.status, dict(said.headers))
        return StreamingResponse(_drip(said), said.status, dict(said.headers))

    def _said(self, path: str, headers: Mapping[str, str]) -> Says:
        with self._lock:
            self.asked.append((path, headers))
            said = self.answers.get(path, Says(status=404))
            if isinstance(said, list):
                said = said.pop(0) if len(said) > 1 else said[0]
        return replace(said, headers={**said.headers})


async def _drip(said: Says) -> AsyncIterator[bytes]:
    assert said.pieces is not None
    for piece in said.pieces():
        yield piece
        await asyncio.sleep(said.rest_s)


@contextmanager
def on_loopback(site: WebSite, **options: Any) -> Iterator[WebSite]:
    with served(site.app(), **options) as base:
        site.port = int(base.rpartition(":")[2])
        yield site


def names_to(*addresses: str) -> "Names":
    return Names([tuple(addresses)])


class Names:
    """A name service: its answers in turn, the last one again and again; `asked` notes the names."""

    def __init__(self, answers: Sequence[tuple[str, ...]]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


class Clock:
    """Time that passes only where somebody sleeps; `slept` notes how long."""

    def __init__(self) -> None:
        self.now_s = 1_000_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now_s += seconds
