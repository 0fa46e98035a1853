"""
Public routes that need no stream: config, feedback, stop and the widget's files.

The active site is opened by the first request that needs it; the widget's files need none, so a database
that sleeps is let sleep.
"""

import asyncio
import base64
import json
import os
from collections.abc import Coroutine, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.chat.body import parsed_stop
from functions.gateway import VARIES, headers_of, json_body, offer_problems, resolver_for
from functions.public.config import CACHING, config_of, wished
from functions.public.config import VARIES as CONFIG_VARIES
from functions.public.feedback import parsed_rating
from functions.public.widget_files import Reply, WidgetFiles
from functions.public.widget_release import build, kept
from magpie.active import ActiveSite
from magpie.adapters.secrets import with_secrets
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
        self.resolver = resolver_for(settings.origins)
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
        offer_problems(app, logger)

    # --- Routes -------------------------------------------------------------------------------

    def config(self) -> Response[Any]:
        """GET /config."""
        language = self.resolver.current_event.get_query_string_value("language", "") or ""
        languages = wished(language, headers_of(self.resolver).get("accept-language", ""))
        body = json.dumps(self._run(self._config(languages)), ensure_ascii=False)
        headers = {"Cache-Control": CACHING, "Vary": f"{VARIES['Vary']}, {CONFIG_VARIES}"}
        return Response(200, content_type="application/json", body=body, headers=headers)

    def feedback(self) -> Response[Any]:
        """POST /feedback."""
        self._run(self._rate(json_body(self.resolver)))
        return Response(204, headers=dict(VARIES))

    def stop(self) -> Response[Any]:
        """POST /stop."""
        self._run(self._stop(json_body(self.resolver)))
        return Response(204, headers=dict(VARIES))

    def widget(self, path: str) -> Response[Any]:
        """GET /widget/NAME."""
        method = self.resolver.current_event.http_method
        return _told(self.widget_files.reply(method, path, headers_of(self.resolver)))

    def widget_in(self, folder: str, path: str) -> Response[Any]:
        """GET /widget/VERSION/NAME or /widget/languages/NAME."""
        return self.widget(f"{folder}/{path}")

    def widget_below(self, version: str, folder: str, path: str) -> Response[Any]:
        """GET /widget/VERSION/languages/NAME."""
        return self.widget(f"{version}/{folder}/{path}")

    # --- What they do -------------------------------------------------------------------------

    async def _config(self, languages: Sequence[str]) -> dict[str, object]:
        async with self._active.entered() as runtime:
            return config_of(runtime, languages)

    async def _rate(self, raw: bytes) -> None:
        rating = parsed_rating(raw)
        async with self._active.entered() as runtime:
            await runtime.ratings.give(rating)

    async def _stop(self, raw: bytes) -> None:
        await self._stops.stop(AnswerId(parsed_stop(raw).answer_id))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)


def _told(reply: Reply) -> Response[Any]:
    """Bytes as they are: the resolver would take a language's JSON for something to encode."""
    told: Response[Any] = Response(
        reply.status, body=base64.b64encode(reply.body).decode() or None, headers=dict(reply.headers)
    )
    told.base64_encoded = bool(reply.body)
    return told


# --- Lambda ---------------------------------------------------------------------------------------


@cache
def public() -> Public:
    """Made once a process. Raises: SettingsInvalid, which ends the cold start."""
    return Public(Settings.from_env(with_secrets(os.environ)))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """One request of API Gateway."""
    return public().resolver.resolve(event, context)
