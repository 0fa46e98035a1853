"""
The owner's API: an ingest is started and watched. Who has no token of the right role gets nowhere, not even
to a 404; there is no public route to any of this.
"""

import asyncio
import json
import os
import re
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.console.ingest import parsed_ingest, told_progress
from functions.gateway import VARIES, headers_of, json_body, offer_problems, resolver_for
from magpie.asking.viewers import Door
from magpie.errors import RunUnknown
from magpie.model import RunId
from magpie.ports import IngestRuns
from magpie.settings import ConsoleSettings, IngestPlaces
from magpie.wiring import console_door
from magpie.wiring_runs import open_collector

T = TypeVar("T")

RUN = re.compile(r"[0-9A-Za-z-]{1,64}")
logger = Logger(service="console")


class Console:
    """The routes."""

    def __init__(self, door: Door, runs: IngestRuns, origins: tuple[str, ...] = ()) -> None:
        self._loop = asyncio.new_event_loop()
        self._door = door
        self._runs = runs
        self.resolver = resolver_for(origins)
        self.resolver.post("/ingest")(self.ingest)
        self.resolver.get("/ingest/<run>")(self.progress)
        offer_problems(self.resolver, logger)

    def close(self) -> None:
        self._loop.close()

    def ingest(self) -> Response[Any]:
        """POST /ingest: a run is asked for; where one goes on already, it waits for its end."""
        subject = self._admitted()
        wanted = parsed_ingest(json_body(self.resolver))
        run = self._run(self._runs.start(wanted.to_selection(), accept_vanishing=wanted.accept_vanishing))
        logger.info("ingest asked for", extra={"run": run, "by": subject})
        return _told(202, {"run": run}, {"Location": f"/ingest/{run}"})

    def progress(self, run: str) -> Response[Any]:
        """GET /ingest/RUN: how far it is; to be asked every few seconds."""
        self._admitted()
        if not RUN.fullmatch(run):
            raise RunUnknown("no run has this name")
        return _told(200, told_progress(self._run(self._runs.progress(RunId(run)))))

    def _admitted(self) -> str:
        """Raises: NotAllowed."""
        bearer = self._run(self._door.admit(headers_of(self.resolver).get("authorization", "")))
        return bearer.subject

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)


def _told(status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> Response[Any]:
    return Response(
        status,
        content_type="application/json",
        body=json.dumps(body, ensure_ascii=False),
        headers={"Cache-Control": "no-store", **VARIES, **(headers or {})},
    )


@cache
def console() -> Console:
    """Made once a process. Raises: SettingsInvalid, which ends the cold start."""
    settings = ConsoleSettings.from_env(os.environ)
    runs = open_collector(IngestPlaces.from_env(os.environ)).collector
    return Console(console_door(settings), runs, settings.origins)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """One request of API Gateway."""
    return console().resolver.resolve(event, context)
