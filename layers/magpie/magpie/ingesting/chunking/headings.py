"""
`headings`: one chunk a section, down to `heading_level`; a section too long is cut by paragraphs.

Sections don't overlap: each is about something else. A section that is only a heading goes with
the next.
"""

from collections.abc import Iterator, Sequence

from magpie.ingesting.chunking.blocks import Block, blocks_of
from magpie.ingesting.chunking.paragraphs import pack
from magpie.model import Heading, Span
from magpie.site import Chunking


def cut_by_headings(text: str, headings: Sequence[Heading], settings: Chunking) -> tuple[Span, ...]:
    """Sections begin at the offsets of `headings`."""
    starts = {heading.start for heading in headings if heading.level <= settings.heading_level}
    sections = _sections(blocks_of(text), starts)
    return tuple(
        span for section in sections for span in pack(text, section, settings.size, settings.overlap)
    )


def _sections(blocks: Sequence[Block], starts: set[int]) -> Iterator[list[Block]]:
    section: list[Block] = []
    for block in blocks:
        if section and block.start in starts:
            yield section
            section = []
        section.append(block)
    if section:
        yield section
