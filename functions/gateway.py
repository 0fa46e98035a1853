"""
What the buffered functions behind API Gateway share: bodies in, problem documents out, origins.
"""

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayRestResolver, CORSConfig, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError

from functions import cross_origin as cross
from functions.chat.body import MAX_BODY_BYTES, require_json, too_large
from functions.faults import where
from functions.problems import MEDIA_TYPE, Problem, problem, problem_of
from functions.secure import SECURE
from magpie.errors import MagpieError

VARIES = {"Vary": "Origin"}  # a cache must not show one page's permission to another


class Gateway(APIGatewayRestResolver):
    """The resolver, whose every answer carries what all of ours carry."""

    def resolve(self, event: Any, context: Any) -> dict[str, Any]:
        answer = super().resolve(event, context)
        headers = answer["multiValueHeaders"]
        for name, value in {**SECURE, **VARIES}.items():
            headers.setdefault(name, [value])
        return answer


def resolver_for(origins: tuple[str, ...]) -> APIGatewayRestResolver:
    """One that lets the owner's pages, and no others, read its answers."""
    first, *others = origins or ("",)  # no page at all: an empty origin is none that a browser sends
    return Gateway(
        cors=CORSConfig(
            allow_origin=first,
            extra_origins=others,
            allow_headers=list(cross.HEADERS),
            expose_headers=list(cross.EXPOSED),
            max_age=cross.MAX_AGE_S,
        )
    )


def headers_of(app: APIGatewayRestResolver) -> Mapping[str, str]:
    """The request's, by their names in lower case."""
    return {name.lower(): value for name, value in app.current_event.headers.items()}


def json_body(app: APIGatewayRestResolver) -> bytes:
    """Raises: BadQuestion for what is no JSON, or too much of it."""
    event, headers = app.current_event, headers_of(app)
    require_json(headers.get("content-type", ""), headers.get("content-encoding", ""))
    text = event.body or ""
    raw = base64.b64decode(text) if event.is_base64_encoded else text.encode("utf-8", "replace")
    if len(raw) > MAX_BODY_BYTES:
        raise too_large()
    return raw


def offer_problems(app: APIGatewayRestResolver, logger: Logger) -> None:
    """Whatever goes wrong becomes a problem document; a bug is logged by where it struck."""
    app.not_found(_not_found)
    app.exception_handler(MagpieError)(_our_problem(logger))
    app.exception_handler(Exception)(_a_bug(logger))


def document(told: Problem) -> Response[Any]:
    body = json.dumps(dict(told.body), ensure_ascii=False)
    return Response(told.status, content_type=MEDIA_TYPE, body=body, headers={**told.headers, **VARIES})


def _not_found(_: NotFoundError) -> Response[Any]:
    return document(problem(404, "http_404", "there is nothing here"))


def _our_problem(logger: Logger) -> Callable[[MagpieError], Response[Any]]:
    def told(exc: MagpieError) -> Response[Any]:
        problem_id = uuid4().hex
        logger.info("refused", extra={"problem_id": problem_id, "refused_as": type(exc).__name__})
        return document(problem_of(exc, problem_id))

    return told


def _a_bug(logger: Logger) -> Callable[[Exception], Response[Any]]:
    def told(exc: Exception) -> Response[Any]:
        problem_id = uuid4().hex
        logger.error("failed", extra={"problem_id": problem_id, **where(exc)})
        detail = "something went wrong on our side; please try again"
        return document(problem(500, "internal", detail, None, problem_id))

    return told
