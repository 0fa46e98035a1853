"""
Public routes that need no stream: config, feedback, stop and the widget's files.

The active site is opened by the first request that needs it; the widget's files need none, so a database
that sleeps is let sleep.
"""

import asyncio
import base64
import json
import os
from collections.abc import Coroutine
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayRestResolver, CORSConfig, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions import cross_origin as cross
from functions.chat.body import MAX_BODY_BYTES, parsed_stop, require_json, too_large
from functions.faults import where
from functions.problems import MEDIA_TYPE, Problem, problem, problem_of
from functions.public.config import CACHING, config_of
from functions.public.feedback import parsed_rating
from functions.public.widget_files import Reply, WidgetFiles
from functions.public.widget_release import build, kept
from magpie.active import ActiveSite
from magpie.adapters.secrets import with_secrets
from magpie.errors import MagpieError
from magpie.model import AnswerId
from magpie.settings import Settings
from magpie.wiring import SiteRuntime, stops_of

T = TypeVar("T")

WIDGET = Path(__file__).resolve().parents[2] / "widget"
logger = Logger(service="public")


class Public:
    """The routes, on the site that is active. `run` gives coroutines the loop that its connections live in."""

    def __init__(self, settings: Settings, widget: Path = WIDGET) -> None:
        self._loop = asyncio.new_event_loop()
        self._active: ActiveSite[SiteRuntime] = ActiveSite(settings, lambda runtime: runtime)
        self._stops = stops_of(settings)
        self._widget = widget
        self.resolver = APIGatewayRestResolver(cors=_cross_origin(settings.origins))
        self._offer(self.resolver)

    @cached_property
    def widget_files(self) -> WidgetFiles:
        """Put together at the first request for one of them."""
        return WidgetFiles(newest=build(self._widget), earlier=kept(self._widget))

    def close(self) -> None:
        """Gives everything back."""
        self._run(self._active.close())
        self._loop.close()

    def _offer(self, app: APIGatewayRestResolver) -> None:
        app.get("/config")(self.config)
        app.post("/feedback")(self.feedback)
        app.post("/stop")(self.stop)
        app.route("/widget/<path>", method=["GET", "HEAD"], cors=False)(self.widget)
        app.route("/widget/<folder>/<path>", method=["GET", "HEAD"], cors=False)(self.widget_in)
        app.route("/widget/<version>/<folder>/<path>", method=["GET", "HEAD"], cors=False)(self.widget_below)
        app.not_found(_not_found)
        app.exception_handler(MagpieError)(_our_problem)
        app.exception_handler(Exception)(_a_bug)

    # --- Routes -------------------------------------------------------------------------------

    def config(self) -> Response[Any]:
        """GET /config."""
        body = json.dumps(self._run(self._config()), ensure_ascii=False)
        return Response(
            200, content_type="application/json", body=body, headers={"Cache-Control": CACHING, **VARIES}
        )

    def feedback(self) -> Response[Any]:
        """POST /feedback."""
        self._run(self._rate(self._body()))
        return Response(204, headers=dict(VARIES))

    def stop(self) -> Response[Any]:
        """POST /stop."""
        self._run(self._stop(self._body()))
        return Response(204, headers=dict(VARIES))

    def widget(self, path: str) -> Response[Any]:
        """GET /widget/NAME."""
        event = self.resolver.current_event
        headers = {name.lower(): value for name, value in event.headers.items()}
        return _told(self.widget_files.reply(event.http_method, path, headers))

    def widget_in(self, folder: str, path: str) -> Response[Any]:
        """GET /widget/VERSION/NAME or /widget/languages/NAME."""
        return self.widget(f"{folder}/{path}")

    def widget_below(self, version: str, folder: str, path: str) -> Response[Any]:
        """GET /widget/VERSION/languages/NAME."""
        return self.widget(f"{version}/{folder}/{path}")

    # --- What they do -------------------------------------------------------------------------

    async def _config(self) -> dict[str, object]:
        async with self._active.entered() as runtime:
            return config_of(runtime)

    async def _rate(self, raw: bytes) -> None:
        rating = parsed_rating(raw)
        async with self._active.entered() as runtime:
            await runtime.ratings.give(rating)

    async def _stop(self, raw: bytes) -> None:
        await self._stops.stop(AnswerId(parsed_stop(raw).answer_id))

    def _body(self) -> bytes:
        """Raises: BadQuestion for what is no JSON, or too much of it."""
        event = self.resolver.current_event
        headers = {name.lower(): value for name, value in event.headers.items()}
        require_json(headers.get("content-type", ""), headers.get("content-encoding", ""))
        text = event.body or ""
        raw = base64.b64decode(text) if event.is_base64_encoded else text.encode("utf-8", "replace")
        if len(raw) > MAX_BODY_BYTES:
            raise too_large()
        return raw

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)


VARIES = {"Vary": "Origin"}  # a cache must not show one page's permission to another


def _cross_origin(origins: tuple[str, ...]) -> CORSConfig:
    first, *others = origins or ("",)  # no page at all: an empty origin is none that a browser sends
    return CORSConfig(
        allow_origin=first,
        extra_origins=others,
        allow_headers=list(cross.HEADERS),
        expose_headers=list(cross.EXPOSED),
        max_age=cross.MAX_AGE_S,
    )


def _told(reply: Reply) -> Response[Any]:
    """Bytes as they are: the resolver would take a language's JSON for something to encode."""
    told: Response[Any] = Response(
        reply.status, body=base64.b64encode(reply.body).decode() or None, headers=dict(reply.headers)
    )
    told.base64_encoded = bool(reply.body)
    return told


# --- What goes wrong ----------------------------------------------------------------------------


def _document(told: Problem) -> Response[Any]:
    body = json.dumps(dict(told.body), ensure_ascii=False)
    return Response(told.status, content_type=MEDIA_TYPE, body=body, headers={**told.headers, **VARIES})


def _not_found(_: NotFoundError) -> Response[Any]:
    return _document(problem(404, "http_404", "there is nothing here"))


def _our_problem(exc: MagpieError) -> Response[Any]:
    problem_id = uuid4().hex
    logger.info("refused", extra={"problem_id": problem_id, "refused_as": type(exc).__name__})
    return _document(problem_of(exc, problem_id))


def _a_bug(exc: Exception) -> Response[Any]:
    problem_id = uuid4().hex
    logger.error("failed", extra={"problem_id": problem_id, **where(exc)})
    return _document(
        problem(500, "internal", "something went wrong on our side; please try again", None, problem_id)
    )


# --- Lambda ---------------------------------------------------------------------------------------


@cache
def public() -> Public:
    """Made once a process. Raises: SettingsInvalid, which ends the cold start."""
    return Public(Settings.from_env(with_secrets(os.environ)))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """One request of API Gateway."""
    return public().resolver.resolve(event, context)
