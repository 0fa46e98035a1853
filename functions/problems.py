"""
Errors before the first byte, as problem documents (RFC 9457), whatever carries them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from magpie.active import Waking
from magpie.errors import (
    BadQuestion,
    CorpusInvalid,
    DatabaseUnavailable,
    MagpieError,
    NotAllowed,
    RecordUnavailable,
    RunUnknown,
    TableUnavailable,
    TooManyQuestions,
)

TITLES = {
    400: "The request can't be read",
    401: "Sign in first",
    403: "That is not for you",
    404: "There is nothing here",
    405: "That method is not offered here",
    409: "That is settled already",
    413: "The request is too large",
    415: "That kind of content is not taken",
    422: "The request can't be taken as it is",
    429: "Too many questions",
    500: "Something went wrong on our side",
    503: "Not available right now",
}
WAKING_S = 30  # a paused database takes about that long
STIRRING_S = 5  # one that we saw to be waking is worth another try soon
UNCOUNTED = (
    "what requests are counted and kept in can't be reached, and without it none is taken; nothing was done, "
    "so please try again in a minute"
)
UNRECORDED = "this must be kept on record and can't be at the moment; please try again in a minute"

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A document and what goes with it."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]


def problem(
    status: int, code: str, detail: str, retry_after_s: int | None = None, problem_id: str = ""
) -> Problem:
    """`id` is what a visitor can tell the owner, and the log line carries too."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": TITLES[status],
        "status": status,
        "detail": detail,
        "code": code,
        "id": problem_id or uuid4().hex,
    }
    if retry_after_s is None:
        return Problem(status=status, body=body, headers={})
    return Problem(
        status=status,
        body={**body, "retry_after_s": retry_after_s},
        headers={"Retry-After": str(retry_after_s)},
    )


def problem_of(exc: MagpieError, problem_id: str = "") -> Problem:
    """Each of our errors as its document."""
    match exc:
        case BadQuestion(status=status, code=code, detail=detail):
            return problem(status, code, detail, problem_id=problem_id)
        case NotAllowed(status=status, code=code, detail=detail):
            told = problem(status, code, detail, problem_id=problem_id)
            return replace(told, headers={"WWW-Authenticate": "Bearer"}) if status == 401 else told
        case RunUnknown():
            return problem(404, "run_unknown", "no run has this name", problem_id=problem_id)
        case TooManyQuestions(retry_after_s=wait):
            return problem(429, "too_many_questions", str(exc), wait, problem_id)
        case Waking():
            return problem(503, "waking", "the pages are being woken up", STIRRING_S, problem_id)
        case TableUnavailable():
            return problem(503, "table_unavailable", UNCOUNTED, WAKING_S, problem_id)
        case RecordUnavailable():
            return problem(503, "record_unavailable", UNRECORDED, WAKING_S, problem_id)
        case DatabaseUnavailable():
            return problem(503, "database_unavailable", "the pages can't be reached", WAKING_S, problem_id)
        case CorpusInvalid():
            return problem(503, "nothing_published", "no pages were published yet", WAKING_S, problem_id)
        case _:
            return problem(503, "unavailable", "a part that we need is not available", WAKING_S, problem_id)
