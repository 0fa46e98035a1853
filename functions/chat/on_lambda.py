"""
The application under the Lambda Web Adapter: the same routes, on whichever site is active.

Readiness and preflights touch no database, so one that is paused is let sleep. The first question
opens the site; where the database takes long to wake, it is refused with when to try again.
"""

import importlib
import json
import logging
import os
import sys

from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from magpie.active import ActiveSite
from magpie.adapters.secrets import with_secrets
from magpie.errors import MagpieError
from magpie.settings import Keys, Settings

from .app import PROBLEMS, create_app, health, middleware

logger = logging.getLogger("magpie.chat")

CONTEXT = b"x-amzn-request-context"
REFUSED = "magpie.refused"
ANY_METHOD = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]


def create() -> "OnLambda":
    """What uvicorn starts. Raises: SettingsInvalid, which ends the cold start."""
    log_in_json()
    settings = Settings.from_env(with_secrets(os.environ))
    _load_sdks(settings.keys)
    return OnLambda(ActiveSite(settings, lambda runtime: create_app(runtime, settings)), settings)


def _load_sdks(keys: Keys) -> None:
    """
    A cold start may take its time before it is ready, and a visitor may not: what the keys say will
    be called is imported now.
    """
    importlib.import_module("boto3")
    if keys.openai or keys.openai_base_url:
        importlib.import_module("openai")
    if keys.gemini:
        importlib.import_module("google.genai")


def log_in_json() -> None:
    """The adapter takes the place of the runtime that would do it: a line a record, `extra` as its keys."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(LambdaPowertoolsFormatter(service="chat"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for chatty in ("httpx2", "openai", "botocore", "google_genai"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


class OnLambda:
    """The ASGI application. `active` gives the application of the site that answers now."""

    def __init__(self, active: ActiveSite[ASGIApp], settings: Settings) -> None:
        self._active = active
        self._threshold = Starlette(
            routes=[
                Route("/health", health, methods=["GET"]),
                Route("/{rest:path}", _refuse, methods=ANY_METHOD),
            ],
            middleware=middleware(settings),
            exception_handlers=PROBLEMS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif _is_at_threshold(scope):
            await self._threshold(scope, receive, send)
        else:
            await self._answer(_from_client(scope), receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with self._active.entered() as application:
                await application(scope, receive, send)
        except MagpieError as exc:  # of entering alone: the application answers its own, and no visitor spoke
            logger.warning("the site is not open", extra={"kind": type(exc).__name__, "reason": str(exc)})
            await self._threshold({**scope, REFUSED: exc}, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._active.close()
        await send({"type": "lifespan.shutdown.complete"})


def _is_at_threshold(scope: Scope) -> bool:
    return bool(scope["path"] == "/health" or scope["method"] == "OPTIONS")


async def _refuse(request: Request) -> Response:
    raise request.scope.get(REFUSED) or HTTPException(405)


def _from_client(scope: Scope) -> Scope:
    """
    The request as from whom API Gateway saw. The adapter writes this header itself, over whatever
    the client sent under its name.
    """
    for name, value in scope["headers"]:
        if name == CONTEXT:
            return {**scope, "client": _seen_by_gateway(value) or scope["client"]}
    return scope


def _seen_by_gateway(context: bytes) -> tuple[str, int] | None:
    try:
        return str(json.loads(context)["identity"]["sourceIp"]), 0
    except (ValueError, KeyError, TypeError):
        return None
