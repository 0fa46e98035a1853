"""
How a text is cut: pure functions from a text, its headings and settings to spans into the text.

All styles promise: every word is in some chunk, no word is cut (unless it alone is longer than a
chunk), a chunk is at most `size` characters long, a fenced block is whole up to
`WHOLE_FENCE * size`, and neighbours share at most `overlap` characters.
"""

from collections.abc import Callable, Sequence

from magpie.ingesting.chunking.headings import cut_by_headings
from magpie.ingesting.chunking.interview import cut_interview
from magpie.ingesting.chunking.paragraphs import cut_paragraphs
from magpie.ingesting.chunking.window import cut_windows
from magpie.model import Heading, Span
from magpie.site import Chunking

Cutter = Callable[[str, Sequence[Heading], Chunking], tuple[Span, ...]]

CUTTERS: dict[str, Cutter] = {
    "paragraphs": cut_paragraphs,
    "window": cut_windows,
    "headings": cut_by_headings,
    "interview": cut_interview,
}


def cut(text: str, headings: Sequence[Heading], settings: Chunking) -> tuple[Span, ...]:
    """Spans in order; none for a text without a word."""
    return CUTTERS[settings.style](text, headings, settings)
