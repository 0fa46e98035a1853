"""
The application: parse, ask once, encode.

`create_app(runtime, settings)` is the very one for Lambda and for the demo; `runtime` is what the
wiring made ready.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Protocol
from uuid import uuid4

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Message, Send

from functions import cross_origin as cross
from functions.faults import where
from functions.measures import measures_of
from functions.public.config import CACHING, VARIES, config_of, wished
from functions.public.feedback import parsed_rating
from functions.secure import SecureHeaders
from magpie.asking.events import Event
from magpie.asking.pipeline import Asker
from magpie.asking.rating import Ratings
from magpie.asking.receipts import Receipts
from magpie.asking.sentences import sentences
from magpie.asking.tickets import Ticket, Tickets
from magpie.asking.viewers import bearer_of
from magpie.errors import BadQuestion, DatabaseUnavailable, MagpieError
from magpie.model import AnswerId, AnswerPart, Done, Failed, Started
from magpie.ports import Ask, AskClaim, Asks, Caller, Limiter, Stops, Viewers
from magpie.settings import Settings
from magpie.site import Site
from magpie.wiring import viewers_for

from .answering import Answering, Keeper, Said, followed
from .body import MAX_BODY_BYTES, Asking, ChatBody, parsed, parsed_stop, require_json, too_large
from .client import client_key
from .problems import problem, problem_of
from .stopping import Running
from .wire import ENCODINGS, encoded, encoding_for

logger = logging.getLogger("magpie.chat")

STALL_S = 30.0  # so long a reader may take for one piece of a stream
STREAM_HEADERS = {"X-Accel-Buffering": "no"}  # a proxy that buffers would hold the stream back


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
    @property
    def asks(self) -> Asks: ...
    @property
    def stops(self) -> Stops: ...


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
        middleware=middleware(settings),
        exception_handlers=PROBLEMS,
    )


def middleware(settings: Settings) -> list[Middleware]:
    """What every answer carries. The owner's pages, and no others, may read it."""
    cross_origin = Middleware(
        CORSMiddleware,
        allow_origins=list(settings.origins),
        allow_methods=cross.METHODS,
        allow_headers=cross.HEADERS,
        expose_headers=cross.EXPOSED,
        max_age=cross.MAX_AGE_S,
    )
    return [Middleware(SecureHeaders), cross_origin]


class Chat:
    """The routes."""

    def __init__(self, runtime: Runtime, settings: Settings, viewers: Viewers) -> None:
        self._runtime = runtime
        self._settings = settings
        self._viewers = viewers
        self._running = Running()
        self._making: set[asyncio.Task[AnswerPart]] = set()

    async def ask(self, request: Request) -> Response:
        """POST /chat. What goes wrong before the first part is a problem document, later an event."""
        _require_json(request)
        body = parsed(await _limited_body(request))
        ticket = self._ticket(request, body.ticket)
        caller = self._caller(request, ticket)
        asking = await self._asking(request, ticket)
        ask = ask_of(body, asking, request.headers.get("origin", ""))
        if earlier := await self._earlier(ask):
            await self._runtime.limiter.admit_again(caller)
            return self._told(request, self._again(earlier, body))
        await self._runtime.limiter.admit(caller)
        claim = await self._claimed(ask)
        if claim is not None and not claim.is_ours:  # the same ask twice at once
            return self._told(request, self._again(claim, body))
        return self._told(request, await self._answer(body, asking, ticket, claim))

    def _told(self, request: Request, stream: AsyncIterator[Event]) -> Response:
        usual = ENCODINGS[self._runtime.site.speaking.stream]
        encoding = encoding_for(request.headers.get("accept", ""), usual)
        return PatientResponse(
            encoded(stream, encoding), media_type=encoding.media_type, headers=STREAM_HEADERS
        )

    async def stop(self, request: Request) -> Response:
        """POST /stop: the answer ends at its next sentence. An unknown one needs no stopping."""
        _require_json(request)
        answer_id = AnswerId(parsed_stop(await _limited_body(request)).answer_id)
        if not self._running.stop(answer_id):
            await self._runtime.stops.stop(answer_id)
        return Response(status_code=204)

    async def feedback(self, request: Request) -> Response:
        """POST /feedback: what a visitor thinks of an answer that we gave."""
        _require_json(request)
        await self._runtime.ratings.give(parsed_rating(await _limited_body(request)))
        return Response(status_code=204)

    async def config(self, request: Request) -> Response:
        """GET /config: what a widget needs before the first question."""
        accepted = request.headers.get("accept-language", "")
        languages = wished(request.query_params.get("language", ""), accepted)
        headers = {"Cache-Control": CACHING, "Vary": VARIES}
        return JSONResponse(config_of(self._runtime, languages), headers=headers)

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

    # --- The same ask again -----------------------------------------------------------------

    async def _earlier(self, ask: Ask | None) -> AskClaim | None:
        """Raises: BadQuestion (422) for a key that came with another question before."""
        if ask is None:
            return None
        try:
            return _same(await self._runtime.asks.find(ask))
        except DatabaseUnavailable as exc:
            self._unless_lenient(exc)
            return None

    async def _claimed(self, ask: Ask | None) -> AskClaim | None:
        """None: nobody can come back for this answer."""
        if ask is None:
            return None
        try:
            return _same(await self._runtime.asks.claim(ask))
        except DatabaseUnavailable as exc:
            self._unless_lenient(exc)
            return None

    def _unless_lenient(self, exc: DatabaseUnavailable) -> None:
        """Without its table an ask can't be told from its repetition: as with limits, the site chooses."""
        if self._runtime.site.limits.when_down != "admit":
            raise exc
        logger.warning("the table of asks is out of reach; an answer is not kept")

    def _again(self, claim: AskClaim, body: ChatBody) -> AsyncIterator[Event]:
        own = sentences(body.language or self._runtime.site.site.corpus_language)
        logger.info("told again")
        return followed(self._runtime.asks, claim, own, self._runtime.asker.clock)

    # --- Answering --------------------------------------------------------------------------

    async def _answer(
        self, body: ChatBody, asking: Asking, ticket: Ticket, claim: AskClaim | None
    ) -> AsyncIterator[Event]:
        said = Said()
        keeper = Keeper(self._runtime.asks, claim, said) if claim is not None else None
        parts = self._runtime.asker.ask(body.to_question(asking))
        try:
            first = await anext(parts)
        except BaseException:
            if keeper is not None:
                await keeper.drop()
            raise
        answering = Answering(
            answer_id=asking.answer_id,
            own=sentences(_language(first)),
            running=self._running,
            stops=self._runtime.stops,
            said=said,
            keeper=keeper,
        )
        making = asyncio.create_task(
            answering.run(_renewed(first, self._runtime.tickets.seal(ticket)), parts)
        )
        self._making.add(making)
        making.add_done_callback(partial(self._made, asking.answer_id))
        return _listening(answering, making)

    def _made(self, answer_id: AnswerId, making: "asyncio.Task[AnswerPart]") -> None:
        self._making.discard(making)
        last = None if making.cancelled() else making.result()
        _log(answer_id, last, self._runtime.site.site.key)


async def _listening(answering: Answering, making: "asyncio.Task[AnswerPart]") -> AsyncIterator[Event]:
    """What is said, as it is said. An answer that nobody can come back for ends with its listener."""
    try:
        async for told in answering.said.heard():
            yield told
    finally:
        if answering.keeper is None:
            making.cancel()
            await asyncio.wait({making})


def _same(claim: AskClaim | None) -> AskClaim | None:
    if claim is not None and not claim.is_same:
        raise BadQuestion(
            "this idempotency_key came with another question; take a new key for each question",
            status=422,
            code="key_reused",
        )
    return claim


def ask_of(body: ChatBody, asking: Asking, origin: str) -> Ask | None:
    """None without a key. A renewed ticket, and the answer's new id, make no other question."""
    if body.idempotency_key is None:
        return None
    covered = {
        "body": body.model_dump(mode="json", exclude={"ticket"}),
        "role": asking.viewer.role,
        "told": sorted(asking.viewer.visibilities),
        "origin": origin,
    }
    digest = hashlib.sha256(json.dumps(covered, sort_keys=True).encode()).hexdigest()
    return Ask(key=str(body.idempotency_key), fingerprint=digest, session_id=asking.session_id)


class PatientResponse(StreamingResponse):
    """Waits for a slow reader, but not for ever."""

    async def stream_response(self, send: Send) -> None:
        async def sent(message: Message) -> None:
            async with asyncio.timeout(STALL_S):
                await send(message)

        try:
            await super().stream_response(sent)
        except TimeoutError:
            logger.info("a reader stood still")


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


def _log(answer_id: str, last: AnswerPart | None, site: str) -> None:
    """One line an answer: ids and counts, never words."""
    ended = last if isinstance(last, Done | Failed) else None
    line = {"answer_id": answer_id, **measures_of(ended, site)}
    match ended:
        case Done():
            logger.info("answered", extra=line)
        case Failed():
            logger.warning("answer ended with an error", extra=line)
        case None:
            logger.info("the visitor left", extra=line)


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
