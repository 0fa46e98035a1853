"""
A tree of HTML elements to Markdown-flavoured text with headings.

It writes what `markdown.py` writes: headings with `#`, lists, tables, code whole. A link keeps its
address where it is all of a paragraph or of a list item; inside sentences the words are enough.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from magpie.ingesting.cleaning import clean, one_line, tidy
from magpie.ingesting.readers.tags import BLOCKS
from magpie.model import Heading

Element = Any
"""An element of lxml, whose own types are not published."""

# The names that trafilatura gives to what it keeps.
_SAME = {
    "head": "h2",
    "list": "ul",
    "item": "li",
    "row": "tr",
    "cell": "td",
    "quote": "blockquote",
    "lb": "br",
    "ref": "a",
}
_ADDRESS = re.compile(r"https?://|/(?!/)|mailto:|tel:")
_PARTS_OF_PAGES = ("table", "head", "h1", "h2", "h3", "h4", "h5", "h6")
MAX_DEPTH = 260  # more than the parser lets through


Prose = Callable[[str], str]
"""What becomes of running text between blocks: white space as a browser shows it, unless told otherwise."""


def write(root: Element, prose: Prose | None = None) -> tuple[str, tuple[Heading, ...]]:
    """The text below an element, and its headings with the offsets of their lines."""
    blocks: list[str] = []
    headings: list[Heading] = []
    offset = 0
    for level, block in _blocks(root, 0, prose or _spaced):
        block = clean(block)  # entities may have brought unseen characters
        if level:
            headings.append(Heading(level=level, text=block[level + 1 :], start=offset))
        blocks.append(block)
        offset += len(block) + 2
    return "\n\n".join(blocks), tuple(headings)


def name_of(element: Element) -> str:
    """The HTML name of an element, empty for comments and the like."""
    tag = element.tag if isinstance(element.tag, str) else ""
    return _SAME.get(tag, tag)


def _blocks(element: Element, depth: int, prose: Prose | None = None) -> Iterator[tuple[int, str]]:
    """Level of a heading (0: none) and text of each block that is not empty."""
    prose = prose or _spaced
    running = element.text or ""
    for child in element:
        if not _is_block(child):
            running += _inline(child) + (child.tail or "")
            continue
        yield from _paragraph(running, element, prose)
        if depth < MAX_DEPTH:
            yield from _block(child, depth + 1, prose)
        running = child.tail or ""
    yield from _paragraph(running, element, prose)


def _paragraph(running: str, element: Element, prose: Prose) -> Iterator[tuple[int, str]]:
    text = prose(running)
    if text:
        yield 0, _whole_link(element, text)


def _block(element: Element, depth: int, prose: Prose) -> Iterator[tuple[int, str]]:
    name = name_of(element)
    if level := _level(element, name):
        yield from _heading(element, level, depth)
    elif name in ("pre", "code"):
        yield from _fenced(element)
    elif name == "table" and next(element.iterdescendants(*_PARTS_OF_PAGES), None) is not None:
        yield from _blocks(element, depth, prose)  # it lays out a page
    elif name == "dl":
        yield from ((0, terms) for terms in [_terms(element, depth)] if terms)
    elif name == "table":
        yield from ((0, table) for table in [_table(element)] if table)
    elif name in ("ul", "ol"):
        yield from ((0, items) for items in [_list(element, name, depth)] if items)
    elif name == "blockquote":
        quoted = "\n\n".join(block for _, block in _blocks(element, depth, prose))
        yield from ((0, text) for text in [_prefixed(quoted, "> ", "> ")] if quoted)
    else:
        yield from _blocks(element, depth, prose)


def _heading(element: Element, level: int, depth: int) -> Iterator[tuple[int, str]]:
    """An unclosed heading swallows what follows: its first block is the heading, the rest is text."""
    if not any(_is_block(child) for child in element):
        blocks = [(0, one_line(_words(element)))]
    else:
        blocks = list(_blocks(element, depth))
    if blocks and blocks[0][1]:
        yield level, f"{'#' * level} {one_line(blocks[0][1])}"
    yield from blocks[1:]


def _level(element: Element, name: str) -> int:
    if element.tag == "head":
        name = str(element.get("rend") or "h2")
    return int(name[1]) if re.fullmatch(r"h[1-6]", name) else 0


def _is_block(element: Element) -> bool:
    name = name_of(element)
    if name == "code":
        return _is_code_block(element)
    return name in BLOCKS and name != "br"


def _is_code_block(element: Element) -> bool:
    return "\n" in _words(element)


def _inline(element: Element) -> str:
    """Words of an inline element; a line break is kept as one."""
    if not isinstance(element.tag, str):
        return ""
    if name_of(element) == "br":
        return "\v"
    return (element.text or "") + "".join(_inline(child) + (child.tail or "") for child in element)


def _words(element: Element) -> str:
    """All text below an element, line breaks as they are."""
    if not isinstance(element.tag, str):
        return ""
    inner = (element.text or "") + "".join(_words(child) + (child.tail or "") for child in element)
    return inner + "\n" if name_of(element) == "br" else inner


def _spaced(running: str) -> str:
    """White space as a browser shows it: one space, or the break that was asked for."""
    return "\n".join(filter(None, (one_line(line) for line in running.split("\v"))))


def _whole_link(element: Element, text: str) -> str:
    link = (
        element
        if name_of(element) == "a"
        else next((child for child in element if name_of(child) == "a"), None)
    )
    if link is None or one_line(_words(link)) != text:
        return text
    address = str(link.get("href") or link.get("target") or "").strip()
    return f"[{text}]({address})" if _ADDRESS.match(address) and " " not in address else text


def _fenced(element: Element) -> Iterator[tuple[int, str]]:
    code = _words(element).strip("\n")
    if code.strip():
        mark = "`" * max(3, max((len(run) for run in re.findall(r"`+", code)), default=0) + 1)
        yield 0, f"{mark}\n{code}\n{mark}"


def _list(element: Element, name: str, depth: int) -> str:
    is_ordered = name == "ol" or element.get("rend") == "ol"
    items = [child for child in element if name_of(child) in ("li", "dt", "dd")] or [element]
    lines = []
    for number, item in enumerate(items, start=1):
        text = "\n".join(block for _, block in _blocks(item, depth + 1))
        mark = f"{number}. " if is_ordered else "- "
        lines.append(_prefixed(text, mark, " " * len(mark)))
    return "\n".join(filter(None, lines))


def _terms(element: Element, depth: int) -> str:
    """A definition list: each term with what is said of it in one line."""
    lines: list[str] = []
    for child in element.iterdescendants("dt", "dd"):
        text = one_line(" ".join(block for _, block in _blocks(child, depth + 1)))
        if child.tag == "dd" and lines:
            lines[-1] += f" {text}" if lines[-1].endswith((":", ".", "?", "!")) else f": {text}"
        elif text:
            lines.append(text)
    return "\n".join(f"- {line}" for line in lines)


def _table(element: Element) -> str:
    """Rows with bars; a table of one column is a layout, and its cells are paragraphs."""
    rows = [[_cell(cell) for cell in row if name_of(cell) in ("td", "th")] for row in _rows(element)]
    rows = [row for row in rows if any(row)]
    caption = next((one_line(_words(child)) for child in element if name_of(child) == "caption"), "")
    if max((len(row) for row in rows), default=0) < 2:
        return "\n\n".join(filter(None, [caption, *(cell for row in rows for cell in row)]))
    width = max(len(row) for row in rows)
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    lines.insert(1, f"|{' --- |' * width}")
    return "\n".join([*([f"{caption}\n"] if caption else []), *lines])


def _rows(table: Element) -> Iterator[Element]:
    for child in table:
        if name_of(child) == "tr":
            yield child
        elif name_of(child) in ("thead", "tbody", "tfoot"):
            yield from (row for row in child if name_of(row) == "tr")


def _cell(cell: Element) -> str:
    return one_line(" ".join(block for _, block in _blocks(cell, 0))).replace("|", "\\|")


def _prefixed(text: str, first: str, rest: str) -> str:
    lines = tidy(text).split("\n")
    return (
        "\n".join([first + lines[0], *((rest + line).rstrip() for line in lines[1:])]) if text.strip() else ""
    )
