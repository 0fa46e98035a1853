"""
The blocks of a text: paragraphs, fenced code, rows of a table, each with its heading in front.

A block is what a chunk should hold whole.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

_FENCE = re.compile(r"^[ \t>]*+(?:[-*+] |\d+[.)] )?[ \t>]*+(`{3,}|~{3,})")
_HEADING = re.compile(r"^#{1,6} ")
_ROW = re.compile(r"^[ \t>]*\|.*\|[ \t]*$")
_RULE = re.compile(r"^[ \t>]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """`text[start:end]`, no white space around. `kind`: `paragraph`, `heading`, `fence`, `row`."""

    start: int
    end: int
    kind: str = "paragraph"


def blocks_of(text: str) -> tuple[Block, ...]:
    """All blocks in order; between them is white space only."""
    return tuple(_with_headings(list(_with_table_heads(list(_plain_blocks(text))))))


def _plain_blocks(text: str) -> Iterator[Block]:
    """Blocks line by line; a row of a table is one of its own."""
    open_block: Block | None = None
    fence = ""
    for start, end, line in _lines(text):
        kind = "fence" if fence or _FENCE.match(line) else _kind(line)
        fence = _fence_after(line, fence)
        if open_block and (kind != open_block.kind or kind in ("row", "heading")):
            yield open_block
            open_block = None
        if kind == "blank" or start == end:  # a blank line inside a fence is part of it, not its end
            continue
        open_block = replace(open_block, end=end) if open_block else Block(start=start, end=end, kind=kind)
        if kind == "fence" and not fence:
            yield open_block
            open_block = None
    if open_block:
        yield open_block


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Start and end without white space around, and the line itself."""
    position = 0
    for line in text.split("\n"):
        stripped = line.strip()
        start = position + (len(line) - len(line.lstrip()))
        yield start, start + len(stripped), line
        position += len(line) + 1


def _kind(line: str) -> str:
    if not line.strip():
        return "blank"
    if _HEADING.match(line):
        return "heading"
    return "row" if _ROW.match(line) else "paragraph"


def _fence_after(line: str, fence: str) -> str:
    match = _FENCE.match(line)
    if not match:
        return fence
    if not fence:
        return match[1]
    closes = match[1][0] == fence[0] and len(match[1]) >= len(fence) and not line.strip(" \t>`~")
    return "" if closes else fence


def _with_table_heads(blocks: list[Block]) -> Iterator[Block]:
    """The first rows of a table (names, rule, first row) stay together: names alone say nothing."""
    position = 0
    while position < len(blocks):
        head = blocks[position : position + 3]
        is_head = len(head) == 3 and all(block.kind == "row" for block in head)
        starts_table = position == 0 or blocks[position - 1].kind != "row"
        if is_head and starts_table:
            yield replace(head[0], end=head[2].end)
            position += 3
            continue
        yield blocks[position]
        position += 1


def _with_headings(blocks: list[Block]) -> Iterator[Block]:
    """A heading goes with what it is the heading of."""
    heading: Block | None = None
    for block in blocks:
        if heading and block.kind == "heading":
            heading = replace(heading, end=block.end)
            continue
        if block.kind == "heading":
            heading = block
            continue
        yield replace(block, start=heading.start) if heading else block
        heading = None
    if heading:
        yield heading
