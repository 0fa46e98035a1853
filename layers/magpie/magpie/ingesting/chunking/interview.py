"""
`interview`: a question and its answer make one chunk; a long answer is cut by windows.

A question is a paragraph or heading that ends with a question mark or bears the label of who
asks (`Q:`, `Interviewer:`, and what other languages call them).
"""

import re
from collections.abc import Iterator, Sequence

from magpie.ingesting.chunking.window import windows
from magpie.model import Heading, Span
from magpie.site import Chunking

_ASKS = re.compile(
    r"^(?:#{1,6}\s+|>\s*|[-*]\s+|\d+[.)]\s+)?(?:\*\*|__)?(?:Q\d*|Question|Interviewer|Host|Moderator|Pergunta|Entrevistador(?:a)?|Pregunta"
    r"|Entrevistador|Frage|Interviewerin|Intervieweuse|Intervieweur|Domanda|Intervistatore|Vraag|Hỏi|質問|问|問)"
    r"(?:\*\*|__)?\s*[:.：)](?:\*\*|__)?\s",
    re.IGNORECASE,
)
_ENDS_ASKING = re.compile(r"[?？؟;](?:[\"'”’»)*_\]]*)$")
_PARAGRAPH = re.compile(r"\S(?:.*?\S)??(?=\s*(?:\n\s*\n|\Z))", re.DOTALL)
_LABEL = re.compile(r"^(?:\*\*|__)?[^\W\d][\w .'’-]{0,39}(?:\*\*|__)?\s*[:：]", re.UNICODE)


def cut_interview(text: str, headings: Sequence[Heading], settings: Chunking) -> tuple[Span, ...]:
    """What stands before the first question is a chunk of its own."""
    spans: list[Span] = []
    for exchange in _exchanges(text):
        spans += windows(text, exchange.start, exchange.end, settings.size, settings.overlap)
    return tuple(spans)


def _exchanges(text: str) -> Iterator[Span]:
    start, end, answered = -1, -1, True
    for turn in _turns(text):
        asks = _is_question(text[turn.start : turn.end])
        if start >= 0 and asks and answered:
            yield Span(start=start, end=end)
            start = -1
        start = turn.start if start < 0 else start
        end, answered = turn.end, not asks
    if start >= 0:
        yield Span(start=start, end=end)


def _turns(text: str) -> Iterator[Span]:
    """Paragraphs, and lines inside one that begin with a speaker's label."""
    for paragraph in _PARAGRAPH.finditer(text):
        start = paragraph.start()
        for line in re.finditer(r"\n(?=.)", paragraph[0]):
            position = paragraph.start() + line.end()
            following = text[position : paragraph.end()]
            if _ASKS.match(following) or _LABEL.match(following):
                yield Span(start=start, end=position - 1)
                start = position
        yield Span(start=start, end=paragraph.end())


def _is_question(turn: str) -> bool:
    return bool(_ASKS.match(turn) or _ENDS_ASKING.search(turn)) and "```" not in turn
