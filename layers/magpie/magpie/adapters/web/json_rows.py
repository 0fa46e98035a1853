"""Rows of a JSON API, page by page, through the same safe web."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from magpie.errors import DocumentRefused
from magpie.model import WebAnswer, WebFailed, WebFound, WebGone, WebRequest
from magpie.ports import Web
from magpie.site import Rows

KINDS = ("application/json", "application/vnd.api+json", "text/json")


async def json_pages(
    web: Web, path: str, rows: Rows, at: str
) -> AsyncGenerator[Sequence[Mapping[str, Any]], None]:
    """
    Pages from the first until one is short. `at` is the dotted path of the list in an answer.

    Raises: DocumentRefused `unreachable`, `bad_rows`.
    """
    before: Sequence[Mapping[str, Any]] | None = None
    for number in range(1, rows.max_rows + 2):
        address = rows.address.replace("{page}", str(number)).replace("{size}", str(rows.page))
        answer = await web.ask(WebRequest(address=address, kinds=KINDS))
        if before is not None and _is_past_the_end(answer):
            return
        page = _rows(path, _found(path, answer), at)
        if page == before:
            raise DocumentRefused(
                path, "bad_rows", f"gives the same rows again at page {number}; does it know {{page}}?"
            )
        if page:
            yield page
        if not page or "{page}" not in rows.address or (len(page) < rows.page and "{size}" in rows.address):
            return
        before = page


def _is_short(page: Sequence[Mapping[str, Any]], rows: Rows) -> bool:
    """The last one, where the API gives as many as it was asked for."""
    return "{size}" in rows.address and len(page) < rows.page


def _is_past_the_end(answer: WebAnswer) -> bool:
    """Some APIs call a page after the last one a bad request, or not found."""
    is_bad = isinstance(answer, WebFailed) and answer.code == "status" and answer.reason == "answers 400"
    return is_bad or isinstance(answer, WebGone)


def _found(path: str, answer: WebAnswer) -> WebFound:
    match answer:
        case WebFound():
            return answer
        case WebFailed():
            raise DocumentRefused(path, "unreachable", f"{answer.address}: {answer.reason}")
        case WebGone():
            raise DocumentRefused(path, "unreachable", f"{answer.address} answers {answer.status}")
        case _:
            raise DocumentRefused(path, "unreachable", "answers nothing new, though nothing was held")


def _rows(path: str, answer: WebFound, at: str) -> Sequence[Mapping[str, Any]]:
    try:
        value = json.loads(answer.raw)
    except (ValueError, RecursionError) as exc:
        raise DocumentRefused(path, "bad_rows", f"{answer.address} is not JSON: {exc}") from exc
    for name in filter(None, at.split(".")):
        value = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(value, list) or not all(isinstance(row, Mapping) for row in value):
        where = f"`{at}`" if at else "the root"
        raise DocumentRefused(path, "bad_rows", f"{answer.address} has no list of objects at {where}")
    return value
