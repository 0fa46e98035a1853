"""
What a visitor sends, checked to the letter and gone in one call:

    ChatBody.model_validate_json(plain_json(raw)).to_question(asking)
"""

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from magpie.asking.receipts import Receipts
from magpie.errors import BadQuestion
from magpie.model import AnswerId, Language, Page, Question, Turn, Viewer

MAX_BODY_BYTES = 128 * 1024  # ledger P18
MAX_MESSAGE_CHARS = 8000  # ledger P18
KEPT_MESSAGES = 11  # ledger P15
MAX_DEPTH = 8  # ours is 3 deep
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""
A JSON string, or what is left of one that never ends: if that did not match, each quote in it would be
tried as a beginning, and 128 kB of them would hold the process for a minute.
"""


Body = TypeVar("Body", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What the edge knows of a question besides its body."""

    answer_id: AnswerId
    viewer: Viewer
    session_id: str
    deadline: float
    receipts: Receipts


class Part(BaseModel):
    """Unknown fields are passed over, so that newer clients can talk to older servers."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class MessageBody(Part):
    """One message; an assistant's counts only with the receipt that came with it."""

    model_config = ConfigDict(defer_build=True)  # judged as part of a body, as the page is

    role: Literal["user", "assistant"]
    content: Annotated[str, StringConstraints(max_length=MAX_MESSAGE_CHARS)]
    answer_id: Annotated[str, StringConstraints(max_length=64)] = ""
    receipt: Annotated[str, StringConstraints(max_length=16_384)] = ""

    @field_validator("content")
    @classmethod
    def _without_controls(cls, value: str) -> str:
        return CONTROL.sub("", value.replace("\r\n", "\n").replace("\r", "\n")).strip()

    def to_turn(self, receipts: Receipts) -> Turn:
        turn = Turn(role=self.role, text=self.content, answer_id=AnswerId(self.answer_id))
        if self.role == "user":
            return turn
        return receipts.verified(turn, self.receipt)


class PageBody(Part):
    """Where the visitor is."""

    model_config = ConfigDict(defer_build=True)

    path: Annotated[str, StringConstraints(pattern=r"^/[^\s\\]*$", max_length=1000)]
    title: Annotated[str, StringConstraints(max_length=300)] = ""


class ChatBody(Part):
    """The body of POST /chat."""

    messages: Annotated[tuple[MessageBody, ...], Field(min_length=1)]
    page: PageBody | None = None
    ticket: Annotated[str, StringConstraints(max_length=4096)] = ""
    idempotency_key: UUID | None = None
    language: Annotated[str, StringConstraints(pattern=r"^([a-z]{2})?$")] = ""

    @field_validator("messages")
    @classmethod
    def _ends_with_a_question(cls, value: tuple[MessageBody, ...]) -> tuple[MessageBody, ...]:
        if len(value) % 2 == 0:
            raise ValueError("must be an odd number of messages, the visitor's question last")
        if value[-1].role != "user":
            raise ValueError("must end with the visitor's question")
        if not value[-1].content:
            raise ValueError("ends with an empty question")
        return value

    def to_question(self, asking: Asking) -> Question:
        """The question with the last turns before it; those of ours verified where their receipt holds."""
        *earlier, last = self.messages[-KEPT_MESSAGES:]
        return Question(
            id=asking.answer_id,
            text=last.content,
            viewer=asking.viewer,
            deadline=asking.deadline,
            history=tuple(message.to_turn(asking.receipts) for message in earlier if message.content),
            page=Page(path=self.page.path, title=self.page.title) if self.page else None,
            preferred_language=Language(self.language) if self.language else None,
            session_id=asking.session_id,
        )


class StopBody(Part):
    """The body of POST /stop."""

    answer_id: Annotated[str, StringConstraints(min_length=1, max_length=64)]


def require_json(content_type: str, content_encoding: str) -> None:
    """Raises: BadQuestion (415) for what these headers say is no plain JSON in UTF-8."""
    media_type, _, parameters = content_type.lower().partition(";")
    charset = parameters.replace(" ", "").replace('"', "").removeprefix("charset=")
    if media_type.strip() != "application/json" or charset not in {"", "utf-8", "utf8"}:
        raise BadQuestion("send application/json in UTF-8", status=415, code="bad_content_type")
    if content_encoding.lower() not in {"", "identity"}:
        raise BadQuestion("send the body uncompressed", status=415, code="bad_content_encoding")


def too_large() -> BadQuestion:
    """What a body over its limit is answered with."""
    return BadQuestion(f"the body is over {MAX_BODY_BYTES // 1024} kB", status=413, code="body_too_large")


def parsed(raw: bytes) -> ChatBody:
    """Raises: BadQuestion (400 for what is no JSON, 422 for what is no question) that names the field."""
    return parsed_as(ChatBody, raw)


def parsed_stop(raw: bytes) -> StopBody:
    """Raises: BadQuestion as `parsed`."""
    return parsed_as(StopBody, raw)


def parsed_as(kind: type[Body], raw: bytes) -> Body:
    """Raises: BadQuestion as `parsed`."""
    try:
        return kind.model_validate_json(plain_json(raw))
    except ValidationError as exc:
        raise _bad(exc) from exc


def plain_json(raw: bytes) -> bytes:
    """
    The bytes, when no key stands twice in an object and nothing is nested deeper than a question is.

    Parsers differ in which of two equal keys they take; a body that means two things is refused.
    """
    if _depth(raw) > MAX_DEPTH:
        raise BadQuestion(f"the body is nested more than {MAX_DEPTH} deep", code="bad_json")
    try:
        json.loads(raw, object_pairs_hook=_single_keys, parse_constant=_no_number)
    except ValueError as exc:
        raise BadQuestion("the body is not JSON in UTF-8", code="bad_json") from exc
    return raw


def _depth(raw: bytes) -> int:
    """The deepest nesting, strings passed over. JSON's brackets are single bytes in UTF-8."""
    deepest = depth = 0
    for char in STRING.sub(b"", raw):
        if char in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in b"]}":
            depth -= 1
    return deepest


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is a number in no JSON")


def _single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadQuestion("a key stands twice in one object of the body", code="duplicate_key")
    return found


def _bad(exc: ValidationError) -> BadQuestion:
    first = exc.errors()[0]
    if first["type"] == "json_invalid":
        return BadQuestion("the body is not JSON in UTF-8", code="bad_json")
    field = ".".join(str(part) for part in first["loc"]) or "the body"
    message = str(first["msg"]).removeprefix("Value error, ")
    return BadQuestion(f"{field}: {message}", status=422, code=_code(first["type"]))


def _code(kind: str) -> str:
    return "message_too_long" if kind == "string_too_long" else "bad_question"
