"""
The application: parse, ask once, encode.

`create_app(runtime, settings)` is the very one for Lambda and for the demo; `runtime` is what the
wiring made ready.
"""

import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Protocol
from uuid import uuid4

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from magpie.asking.events import PROTOCOL, Event, event
from magpie.asking.pipeline import Asker
from magpie.asking.receipts import Receipts
from magpie.asking.sentences import sentences
from magpie.asking.tickets import Ticket, Tickets
from magpie.asking.viewers import bearer_of
from magpie.errors import BadQuestion, MagpieError
from magpie.model import AnswerId, AnswerPart, Delta, Done, Failed, Started
from magpie.ports import Caller, Limiter, Viewers
from magpie.settings import Settings
from magpie.site import Site
from magpie.wiring import viewers_for

from .body import MAX_BODY_BYTES, MAX_MESSAGE_CHARS, Asking, parsed, parsed_stop
from .client import client_key
from .problems import problem, problem_of
from .stopping import Running
from .wire import encoded, encoding_for

logger = logging.getLogger("magpie.chat")

STREAM_HEADERS = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # a proxy that buffers would hold the stream back
    "X-Content-Type-Options": "nosniff",
}


class Runtime(Protocol):
    """What the application needs, ready-made."""

    @property
    def site(self) -> Site: ...
    @property
    def asker(self) -> Asker: ...
    @property
    def limiter(self) -> Limiter: ...
    @property
    def tickets(self) -> Tickets: ...
    @property
    def receipts(self) -> Receipts: ...


def create_app(runtime: Runtime, settings: Settings, viewers: Viewers | None = None) -> Starlette:
    """The ASGI application. Building it touches neither database nor provider."""
    chat = Chat(runtime, settings, viewers or viewers_for(settings, runtime.site))
    return Starlette(
        routes=[
            Route("/chat", chat.ask, methods=["POST"]),
            Route("/stop", chat.stop, methods=["POST"]),
            Route("/config", chat.config, methods=["GET"]),
            Route("/health", health, methods=["GET"]),
        ],
        middleware=[cross_origin(settings)],
        exception_handlers=PROBLEMS,
    )


def cross_origin(settings: Settings) -> Middleware:
    """The owner's pages, and no others, may read what we answer."""
    return Middleware(
        CORSMiddleware,
        allow_origins=list(settings.origins),
        allow_methods=["GET", "POST"],
        allow_headers=["Content-Type", "Authorization", "Accept"],
        expose_headers=["Retry-After"],
        max_age=600,
    )


class Chat:
    """The routes."""

    def __init__(self, runtime: Runtime, settings: Settings, viewers: Viewers) -> None:
        self._runtime = runtime
        self._settings = settings
        self._viewers = viewers
        self._running = Running()

    async def ask(self, request: Request) -> Response:
        """POST /chat. What goes wrong before the first part is a problem document, later an event."""
        _require_json(request)
        body = parsed(await _limited_body(request))
        ticket = self._ticket(request, body.ticket)
        await self._runtime.limiter.admit(self._caller(request, ticket))
        asking = await self._asking(request, ticket)
        parts = self._runtime.asker.ask(body.to_question(asking))
        first = await anext(parts)
        stream = self._events(_renewed(first, self._runtime.tickets.seal(ticket)), parts, asking)
        encoding = encoding_for(request.headers.get("accept", ""))
        return StreamingResponse(
            encoded(stream, encoding), media_type=encoding.media_type, headers=STREAM_HEADERS
        )

    async def stop(self, request: Request) -> Response:
        """POST /stop: the answer ends at its next sentence. An unknown one needs no stopping."""
        _require_json(request)
        self._running.stop(parsed_stop(await _limited_body(request)).answer_id)
        return Response(status_code=204)

    async def config(self, _: Request) -> Response:
        """GET /config: what a widget needs before the first question."""
        return JSONResponse(config_of(self._runtime), headers={"Cache-Control": "public, max-age=60"})

    # --- Parts of asking --------------------------------------------------------------------

    def _caller(self, request: Request, ticket: Ticket) -> Caller:
        peer = request.client.host if request.client else ""
        forwarded = ",".join(request.headers.getlist("x-forwarded-for"))
        address = client_key(peer, forwarded, self._settings.trusted_hops)
        return Caller(address=address, session_id=ticket.session_id, is_new=ticket.is_new)

    def _ticket(self, request: Request, sealed: str) -> Ticket:
        origin = request.headers.get("origin", "")
        return self._runtime.tickets.admit(sealed, origin=origin, now=self._runtime.asker.clock.now())

    async def _asking(self, request: Request, ticket: Ticket) -> Asking:
        return Asking(
            answer_id=AnswerId(uuid4().hex),
            viewer=await self._viewers.who(_bearer(request)),
            session_id=ticket.session_id,
            deadline=self._runtime.asker.clock.monotonic() + self._runtime.site.deadlines.stream_s,
            receipts=self._runtime.receipts,
        )

    async def _events(
        self, first: AnswerPart, rest: AsyncIterator[AnswerPart], asking: Asking
    ) -> AsyncIterator[Event]:
        answer_id, own = asking.answer_id, sentences(_language(first))
        last: AnswerPart = first
        try:
            with self._running.entered(answer_id) as is_stopped:
                yield event(first, answer_id)
                async for part in rest:
                    last = part
                    yield event(part, answer_id)
                    if isinstance(part, Delta) and is_stopped():
                        last = Failed(code="stopped", message=own.say("stopped"))
                        yield event(last, answer_id)
                        return
        except Exception:  # a bug of ours: the stream has begun, so the visitor is told by an event
            logger.exception("answer failed", extra={"answer_id": answer_id})
            last = Failed(code="internal", message=own.say("internal"))
            yield event(last, answer_id)
        finally:
            await rest.aclose()  # type: ignore[attr-defined]  # an async generator
            _log(answer_id, last)


def config_of(runtime: Runtime) -> dict[str, object]:
    """The public part of the site file, for widgets."""
    site = runtime.site
    writer = runtime.asker.writer_name
    return {
        "protocol": PROTOCOL,
        "site": {
            "key": site.site.key,
            "name": site.site.name,
            "url": site.site.url,
            "languages": list(site.site.languages),
        },
        "persona": {
            "name": site.persona.name,
            "greeting": site.persona.greeting,
            "disclosure": site.persona.disclosure,
        },
        "looks": {
            "accent": site.looks.accent,
            "position": site.looks.position,
            "mode": site.looks.mode,
            "theme": site.looks.theme,
            "starters": list(site.looks.starters),
            "starters_by_page": {page: list(asked) for page, asked in site.looks.starters_by_page.items()},
            "memory": site.looks.memory,
            "consent": site.looks.consent,
        },
        "handover": {
            "url": site.handover.url,
            "label": site.handover.label,
            "email": site.handover.email,
        },
        "feedback": False,  # no route stores it yet, so no widget may ask for it
        "writer": "extractive" if writer == "extractive" else "prompted",
        "limits": {"message_chars": MAX_MESSAGE_CHARS, "kept": 50},
    }


async def health(_: Request) -> Response:
    """Never touches the database: one that is paused must be let sleep."""
    return JSONResponse({"status": "ok"})


def _require_json(request: Request) -> None:
    media_type, _, parameters = request.headers.get("content-type", "").lower().partition(";")
    charset = parameters.replace(" ", "").replace('"', "").removeprefix("charset=")
    if media_type.strip() != "application/json" or charset not in {"", "utf-8", "utf8"}:
        raise BadQuestion("send application/json in UTF-8", status=415, code="bad_content_type")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise BadQuestion("send the body uncompressed", status=415, code="bad_content_encoding")


async def _limited_body(request: Request) -> bytes:
    """The body, read no further than its limit."""
    body = bytearray()
    too_large = BadQuestion(
        f"the body is over {MAX_BODY_BYTES // 1024} kB", status=413, code="body_too_large"
    )
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > MAX_BODY_BYTES:
        raise too_large
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY_BYTES:
            raise too_large
    return bytes(body)


def _bearer(request: Request) -> str:
    """Two headers would let a proxy and us look at different ones: together they are no token."""
    return bearer_of(",".join(request.headers.getlist("authorization")))


def _renewed(part: AnswerPart, ticket: str) -> AnswerPart:
    return replace(part, ticket=ticket) if isinstance(part, Started) else part


def _language(first: AnswerPart) -> str:
    return first.language if isinstance(first, Started) else "en"


def _log(answer_id: str, last: AnswerPart) -> None:
    """One line an answer: ids and counts, never words."""
    match last:
        case Done(outcome=outcome, usage=usage, timings_ms=timings, trace=trace, citations=citations):
            facts = {
                "outcome": outcome.value,
                "calls": usage.calls,
                "cost_usd": usage.cost_usd,
                "first_text_ms": timings.get("first_text"),
                "total_ms": timings.get("total"),
                "citations": len(citations),
                "trace": trace,
            }
            logger.info("answered", extra={"answer_id": answer_id, **facts})
        case Failed(code=code):
            logger.warning("answer ended with an error", extra={"answer_id": answer_id, "code": code})
        case _:
            logger.info("the visitor left", extra={"answer_id": answer_id})


async def _our_problem(_: Request, exc: Exception) -> Response:
    if not isinstance(exc, MagpieError):
        raise exc
    problem_id = uuid4().hex
    logger.info("refused", extra={"problem_id": problem_id, "kind": type(exc).__name__})
    return problem_of(exc, problem_id)


async def _http_problem(_: Request, exc: Exception) -> Response:
    if not isinstance(exc, HTTPException):
        raise exc
    response = problem(exc.status_code, f"http_{exc.status_code}", exc.detail)
    response.headers.update(exc.headers or {})
    return response


async def _a_bug(_: Request, exc: Exception) -> Response:
    problem_id = uuid4().hex
    logger.error("failed", extra={"problem_id": problem_id}, exc_info=exc)
    return problem(
        500, "internal", "something went wrong on our side; please try again", problem_id=problem_id
    )


PROBLEMS = {HTTPException: _http_problem, MagpieError: _our_problem, Exception: _a_bug}
"""Each kind of failure before the first byte, and what makes its problem document."""
