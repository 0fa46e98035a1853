"""
The body of POST /feedback.
"""

from typing import Annotated

from pydantic import AliasChoices, Field, StringConstraints, field_validator

from functions.chat.body import CONTROL, KEPT_MESSAGES, MAX_MESSAGE_CHARS, Part, parsed_as
from magpie.asking.rating import MOST_REASON_CHARS, GivenRating
from magpie.model import AnswerId


class FeedbackBody(Part):
    """
    `used` is whether the answer helped; left out or null where the visitor did not say. `questions` are the
    visitor's own messages, by which a name in the reason is known; they are kept nowhere.
    """

    answer_id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    receipt: Annotated[str, StringConstraints(min_length=1, max_length=16_384)]
    usefulness: Annotated[int, Field(strict=True, ge=1, le=5)]
    used_question: Annotated[
        bool | None, Field(strict=True, validation_alias=AliasChoices("used_question", "used"))
    ] = None
    reason: Annotated[str, StringConstraints(max_length=MOST_REASON_CHARS)] = ""
    ticket: Annotated[str, StringConstraints(max_length=4096)] = ""
    questions: Annotated[
        tuple[Annotated[str, StringConstraints(max_length=MAX_MESSAGE_CHARS)], ...],
        Field(max_length=KEPT_MESSAGES),
    ] = ()

    @field_validator("reason")
    @classmethod
    def _without_controls(cls, value: str) -> str:
        return " ".join(CONTROL.sub(" ", value).split())

    def to_rating(self) -> GivenRating:
        return GivenRating(
            answer_id=AnswerId(self.answer_id),
            receipt=self.receipt,
            usefulness=self.usefulness,
            used_question=self.used_question,
            reason=self.reason,
            ticket=self.ticket,
            questions=self.questions,
        )


def parsed_rating(raw: bytes) -> GivenRating:
    """Raises: BadQuestion that names the field."""
    return parsed_as(FeedbackBody, raw).to_rating()
