"""
`window`: pieces of the size, each ending at the best break (paragraph, sentence, line, `; `, space).

A text that fits is kept whole.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from magpie.ingesting.chunking.blocks import Block, blocks_of
from magpie.ingesting.chunking.boundaries import best_break, trimmed, word_from
from magpie.ingesting.chunking.paragraphs import WHOLE_FENCE, next_start
from magpie.model import Heading, Span
from magpie.site import Chunking


def cut_windows(text: str, headings: Sequence[Heading], settings: Chunking) -> tuple[Span, ...]:
    """Headings don't matter here."""
    stripped = text.strip()
    if not stripped:
        return ()
    start = text.index(stripped)
    return tuple(windows(text, start, start + len(stripped), settings.size, settings.overlap))


def windows(text: str, start: int, end: int, size: int, overlap: int) -> Iterator[Span]:
    """Spans over `text[start:end]`, which has no white space around it."""
    whole = [_moved(block, start) for block in blocks_of(text[start:end]) if block.kind in ("fence", "row")]
    while end - start > size:
        cut = best_break(text, start, start + size)
        stop = trimmed(text, start, _kept_whole(cut, start, size, _around(cut, whole)))
        yield Span(start=start, end=stop)
        if stop >= end:
            return
        start = _begun(text, start, stop, end, size, overlap, whole)
    if end > start:
        yield Span(start=start, end=end)


def _moved(block: Block, offset: int) -> Block:
    return replace(block, start=block.start + offset, end=block.end + offset)


def _around(position: int, whole: Sequence[Block]) -> Block | None:
    before = bisect_left(whole, position, key=lambda block: block.start) - 1
    return whole[before] if before >= 0 and position < whole[before].end else None


def _kept_whole(cut: int, start: int, size: int, block: Block | None) -> int:
    """After the block that the cut falls into, or before it, else right there."""
    if block is None:
        return cut
    stretch = WHOLE_FENCE if block.kind == "fence" else 1
    if block.end - start <= size * stretch:
        return block.end
    longest = size * stretch
    return block.start if block.start > start and block.end - block.start <= longest else cut


def _begun(
    text: str, start: int, stop: int, end: int, size: int, overlap: int, whole: Sequence[Block]
) -> int:
    """The next start; never in the middle of a block that was kept whole."""
    following = next_start(text, start, stop, size, overlap, end)
    block = _around(following, whole)
    kept = block is not None and block.end <= stop
    return word_from(text, stop, end) if kept else following
