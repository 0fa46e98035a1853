"""What `collect` is told: events of the corpus' bucket, the end of a run, or a minute that has passed."""

import json
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError


class Bucket(BaseModel):
    name: str


class Key(BaseModel):
    key: str


class Detail(BaseModel):
    bucket: Bucket
    object: Key


class CorpusEvent(BaseModel):
    """`Object Created` and `Object Deleted` as EventBridge tells them; keys come as they are, not encoded."""

    detail: Detail


class Record(BaseModel):
    """A message of the queue."""

    message_id: Annotated[str, Field(alias="messageId")]
    body: str

    def event(self) -> CorpusEvent | None:
        """None where it can't be understood: the queue keeps it for whoever looks into it."""
        try:
            return CorpusEvent.model_validate_json(self.body)
        except ValidationError:
            return None


class Told(BaseModel):
    """
    `records` from the queue; `finished`, a run that ended, with the state machine's `error` and
    `cause` where it failed; neither, once a minute.
    """

    records: Annotated[tuple[Record, ...], Field(alias="Records")] = ()
    finished: str = ""
    error: str = ""
    cause: str = ""

    def sentence(self) -> str:
        """The cause for people: a function's own message, without its stack."""
        try:
            told: Any = json.loads(self.cause)
        except ValueError:
            return self.cause
        return str(told.get("errorMessage", self.cause)) if isinstance(told, dict) else self.cause
