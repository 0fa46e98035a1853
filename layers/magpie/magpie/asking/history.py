"""
What of the conversation counts: the visitor's own turns, and ours where a receipt holds.
"""

from typing import Literal

from magpie.model import Question, Turn

Remembering = Literal["last_exchange", "conversation", "none"]


def remembered(question: Question, policy: Remembering) -> tuple[Turn, ...]:
    """The turns that a model may see, oldest first, under the site's policy."""
    if policy == "none":
        return ()
    trusted = tuple(turn for turn in question.history if turn.role == "user" or turn.verified)
    return trusted if policy == "conversation" else _last_exchange(trusted)


def _last_exchange(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    start = max((index for index, turn in enumerate(turns) if turn.role == "user"), default=len(turns))
    return turns[start:]


def last_answer(question: Question) -> Turn | None:
    """Our last answer; None where its receipt does not hold or the last turn is not ours."""
    last = question.history[-1] if question.history else None
    return last if last is not None and last.role == "assistant" and last.verified else None
