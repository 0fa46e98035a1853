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

from functions import cross_origin as cross
from functions.faults import where
from functions.public.config import CACHING, config_of
from functions.public.feedback import parsed_rating
from magpie.asking.events import Event, event
from magpie.asking.pipeline import Asker
from magpie.asking.rating import Ratings
from magpie.asking.receipts import Receipts
from magpie.asking.sentences import sentences
from magpie.asking.tickets import Ticket, Tickets
from magpie.asking.viewers import bearer_of
from magpie.errors import MagpieError
from magpie.model import AnswerId, AnswerPart, Delta, Done, Failed, Started
from magpie.ports import Caller, Limiter, Viewers
from magpie.settings import Settings
from magpie.site import Site
from magpie.wiring import viewers_for

from .body import MAX_BODY_BYTES, Asking, parsed, parsed_stop, require_json, too_large
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
    @property
    def ratings(self) -> Ratings: ...


def create_app(runtime: Runtime, settings: Settings, viewers: Viewers | None = None) -> Starlette:
    """The ASGI application. Building it touches neither database nor provider."""
    chat = Chat(runtime, settings, viewers or viewers_for(settings, runtime.site))
    return Starlette(
        routes=[
            Route("/chat", chat.ask, methods=["POST"]),
            Route("/stop", chat.stop, methods=["POST"]),
            Route("/feedback", chat.feedback, methods=["POST"]),
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
        allow_methods=cross.METHODS,
        allow_headers=cross.HEADERS,
        expose_headers=cross.EXPOSED,
        max_age=cross.MAX_AGE_S,
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

    async def feedback(self, request: Request) -> Response:
        """POST /feedback: what a visitor thinks of an answer that we gave."""
        _require_json(request)
        await self._runtime.ratings.give(parsed_rating(await _limited_body(request)))
        return Response(status_code=204)

    async def config(self, _: Request) -> Response:
        """GET /config: what a widget needs before the first question."""
        return JSONResponse(config_of(self._runtime), headers={"Cache-Control": CACHING})

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
        except Exception as exc:  # a bug of ours: the stream has begun, so the visitor is told by an event
            logger.error("answer failed", extra={"answer_id": answer_id, **where(exc)})  # noqa: TRY400
            last = Failed(code="internal", message=own.say("internal"))
            yield event(last, answer_id)
        finally:
            await rest.aclose()  # type: ignore[attr-defined]  # an async generator
            _log(answer_id, last)


async def health(_: Request) -> Response:
    """Never touches the database: one that is paused must be let sleep."""
    return JSONResponse({"status": "ok"})


def _require_json(request: Request) -> None:
    require_json(request.headers.get("content-type", ""), request.headers.get("content-encoding", ""))


async def _limited_body(request: Request) -> bytes:
    """The body, read no further than its limit."""
    body = bytearray()
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > MAX_BODY_BYTES:
        raise too_large()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY_BYTES:
            raise too_large()
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
    logger.error("failed", extra={"problem_id": problem_id, **where(exc)})
    return problem(
        500, "internal", "something went wrong on our side; please try again", problem_id=problem_id
    )


PROBLEMS = {HTTPException: _http_problem, MagpieError: _our_problem, Exception: _a_bug}
"""Each kind of failure before the first byte, and what makes its problem document."""
