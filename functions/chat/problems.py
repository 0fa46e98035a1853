"""
Problem documents as responses of the ASGI application.
"""

from starlette.responses import JSONResponse

from functions import problems
from functions.problems import MEDIA_TYPE, Problem
from magpie.errors import MagpieError


def problem(status: int, code: str, detail: str, problem_id: str = "") -> JSONResponse:
    """A document of our own making."""
    return _response(problems.problem(status, code, detail, problem_id=problem_id))


def problem_of(exc: MagpieError, problem_id: str = "") -> JSONResponse:
    """Each of our errors as its document."""
    return _response(problems.problem_of(exc, problem_id))


def _response(told: Problem) -> JSONResponse:
    return JSONResponse(dict(told.body), told.status, dict(told.headers), media_type=MEDIA_TYPE)
