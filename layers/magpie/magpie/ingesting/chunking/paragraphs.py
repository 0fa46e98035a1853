"""
`paragraphs`: whole paragraphs up to the size, the tail of a chunk carried into the next.

A paragraph that is longer than a chunk is sliced at the best breaks with the same overlap. Fenced
code may stretch a chunk to `WHOLE_FENCE * size`: code that is cut in two helps nobody.
"""

from collections.abc import Iterator, Sequence

from magpie.ingesting.chunking.blocks import Block, blocks_of
from magpie.ingesting.chunking.boundaries import best_break, boundary_from, word_from
from magpie.model import Heading, Span
from magpie.site import Chunking

WHOLE_FENCE = 1.5


def cut_paragraphs(text: str, headings: Sequence[Heading], settings: Chunking) -> tuple[Span, ...]:
    """The default style. `headings` are found in the text itself."""
    return tuple(pack(text, blocks_of(text), settings.size, settings.overlap))


def pack(text: str, blocks: Sequence[Block], size: int, overlap: int) -> Iterator[Span]:
    """Blocks to spans, each block whole where it fits."""
    start, end = -1, -1
    for index, block in enumerate(blocks):
        if start < 0:
            start, end = block.start, block.start
        if block.end - start <= size:
            end = block.end
            continue
        if end > start:
            yield Span(start=start, end=end)
            start = _carried(text, block, end, overlap, start)
        start = _at_whole(blocks, index, _fitting(text, start, block, size))
        limit = _limit(block, size)
        while block.end - start > limit:
            end = best_break(text, start, start + size)
            yield Span(start=start, end=end)
            start = next_start(text, start, end, size, overlap, block.end)
        end = block.end
    if end > start >= 0:
        yield Span(start=start, end=end)


def _limit(block: Block, size: int) -> int:
    return int(size * WHOLE_FENCE) if block.kind == "fence" else size


def _carried(text: str, block: Block, end: int, overlap: int, start: int) -> int:
    """Where the tail begins that the next chunk repeats."""
    tail = boundary_from(text, max(end - overlap, start + 1), end)
    return block.start if overlap == 0 or tail >= end else tail


def _at_whole(blocks: Sequence[Block], index: int, start: int) -> int:
    """A tail that doesn't begin inside a fence or a row: half of one says nothing."""
    for position in range(index - 1, -1, -1):
        if blocks[position].start <= start:
            is_inside = (
                blocks[position].kind != "paragraph" and blocks[position].start < start < blocks[position].end
            )
            return blocks[position + 1].start if is_inside else start
    return start


def _fitting(text: str, start: int, block: Block, size: int) -> int:
    """A shorter tail where the whole one would push the block over the size."""
    if block.end - start <= size:
        return start
    if block.kind == "fence" or block.end - block.start > size:
        return block.start
    return boundary_from(text, block.end - size, block.start)


def next_start(text: str, start: int, end: int, size: int, overlap: int, limit: int) -> int:
    """Where the piece after `text[start:end]` begins: `overlap` back, and always further on."""
    after = word_from(text, end, limit)
    if overlap == 0:
        return after
    tail = boundary_from(text, max(end - overlap, start + 1), end)
    if tail >= end:
        return after
    reached = best_break(text, tail, tail + size) if tail + size < limit else limit
    return tail if reached > end else after
