"""
Errors before the first byte, as problem documents (RFC 9457).
"""

from typing import Any
from uuid import uuid4

from starlette.responses import JSONResponse

from magpie.active import Waking
from magpie.errors import (
    BadQuestion,
    CorpusInvalid,
    DatabaseUnavailable,
    MagpieError,
    NotAllowed,
    TooManyQuestions,
)

TITLES = {
    400: "The request can't be read",
    401: "Sign in first",
    403: "That is not for you",
    405: "That method is not offered here",
    404: "There is nothing here",
    413: "The request is too large",
    415: "That kind of content is not taken",
    422: "The request is no question",
    429: "Too many questions",
    500: "Something went wrong on our side",
    503: "Not available right now",
}
WAKING_S = 30  # a paused database takes about that long
STIRRING_S = 5  # one that we saw to be waking is worth another try soon


def problem(
    status: int, code: str, detail: str, retry_after_s: int | None = None, problem_id: str = ""
) -> JSONResponse:
    """The document; `id` is what a visitor can tell the owner, and the log line carries too."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": TITLES[status],
        "status": status,
        "detail": detail,
        "code": code,
        "id": problem_id or uuid4().hex,
    }
    if retry_after_s is None:
        return JSONResponse(body, status, media_type="application/problem+json")
    headers = {"Retry-After": str(retry_after_s)}
    told = {**body, "retry_after_s": retry_after_s}
    return JSONResponse(told, status, headers, media_type="application/problem+json")


def problem_of(exc: MagpieError, problem_id: str = "") -> JSONResponse:
    """Each of our errors as its document."""
    match exc:
        case (
            BadQuestion(status=status, code=code, detail=detail)
            | NotAllowed(status=status, code=code, detail=detail)
        ):
            return problem(status, code, detail, problem_id=problem_id)
        case TooManyQuestions(retry_after_s=wait):
            return problem(429, "too_many_questions", str(exc), wait, problem_id)
        case Waking():
            return problem(503, "waking", "the pages are being woken up", STIRRING_S, problem_id)
        case DatabaseUnavailable():
            return problem(503, "database_unavailable", "the pages can't be reached", WAKING_S, problem_id)
        case CorpusInvalid():
            return problem(503, "nothing_published", "no pages were published yet", WAKING_S, problem_id)
        case _:
            return problem(503, "unavailable", "a part that we need is not available", WAKING_S, problem_id)
