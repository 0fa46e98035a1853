"""
Markdown, MDX and their dialects to plain text that is still Markdown-flavoured.

The document is parsed, not searched by patterns, and written out again: headings with `#`, lists,
tables and code whole, links as `[text](address)`; emphasis, HTML, comments, hidden text, scripts,
shortcodes and data images are gone.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.tree import SyntaxTreeNode

from magpie.errors import DocumentRefused
from magpie.ingesting.cleaning import DATA_URI, clean, decode, one_line, tidy
from magpie.ingesting.dates import date_of_name, parse_date
from magpie.ingesting.languages import language_code, language_of_path
from magpie.ingesting.readers.extras import without_modules, without_shortcodes, without_template_blocks
from magpie.ingesting.readers.front_matter import split_front_matter
from magpie.ingesting.readers.tags import Tags
from magpie.model import Document, Heading, Notice, Reading

_HEADING_ID = re.compile(r"\s*\{#[^}]*\}\s*$|\s*\{\s*/\*\s*#.*?\*/\s*\}\s*$")
_FOOTNOTE = re.compile(r"^\[\^([^\]]+)\]:[ \t]*", re.MULTILINE)
_CJK_BREAK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]{2}")
_HARD_BREAK = "\x0b"  # clean text holds none
_WRITTEN_HEADING = re.compile(
    r"^(?P<fence>`{3,}+|~{3,}+).*?^(?P=fence)|^(?P<marks>#{1,6}) (?P<text>[^\n]+)$", re.DOTALL | re.MULTILINE
)
MAX_NESTING = 60  # deeper quotes and lists are an attack on the parser, not a page


def read(document: Document) -> tuple[Reading, ...]:
    """
    One reading of one file.

    Raises: DocumentRefused `bad_encoding`, `bad_front_matter`, `too_deep`.
    """
    text, notices = decode(document.path, document.raw)
    return (read_text(document.path, clean(text), notices),)


def read_text(path: str, text: str, notices: Sequence[Notice] = ()) -> Reading:
    """As `read`, of a text that is decoded and clean."""
    front = split_front_matter(path, text)
    page = Page(is_mdx=path.endswith(".mdx"))
    body, headings = page.render(text[front.body_start :])
    if not body and page.is_deep:
        reason = f"nests all of its text over {MAX_NESTING} levels deep; save it simpler"
        raise DocumentRefused(path, "too_deep", reason)
    return Reading(
        text=body,
        title=_title(front.fields, headings),
        published=_published(front.fields, path),
        language=_language(front.fields, path),
        url=_address(front.fields),
        headings=headings,
        fields=front.fields,
        notices=(*notices, *front.notices, *page.notices()),
    )


def _title(fields: Mapping[str, Any], headings: Sequence[Heading]) -> str | None:
    written = fields.get("title", fields.get("Title"))
    if isinstance(written, (str, int, float)) and not isinstance(written, bool) and str(written).strip():
        return one_line(clean(str(written)))
    return next((heading.text for heading in headings if heading.level == 1), None)


def _published(fields: Mapping[str, Any], path: str) -> Any:
    written = {name.lower(): value for name, value in fields.items()}
    for name in (
        "date",
        "published",
        "publishdate",
        "publish_date",
        "pubdate",
        "published_at",
        "published_on",
    ):
        if found := parse_date(written.get(name)):
            return found
    return date_of_name(path)


def _language(fields: Mapping[str, Any], path: str) -> Any:
    for name in ("lang", "language", "locale"):
        if found := language_code(fields.get(name)):
            return found
    return language_of_path(path)


def _address(fields: Mapping[str, Any]) -> str | None:
    for name in ("url", "permalink", "canonical_url", "canonical"):
        value = fields.get(name)
        if (
            isinstance(value, str)
            and re.match(r"https?://|/", value)
            and ":" not in value.partition("://")[2]
        ):
            return value
    return None


def headings_in(text: str) -> tuple[Heading, ...]:
    """The headings of a text that is written out already; code is left alone."""
    found = []
    for match in _WRITTEN_HEADING.finditer(text):
        if match["marks"]:
            found.append(Heading(level=len(match["marks"]), text=match["text"], start=match.start()))
    return tuple(found)


@cache
def _parser() -> MarkdownIt:
    """Made once: it takes longer to make than to use."""
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.core.ruler.after("block", "shortcodes", _drop_shortcodes)
    return parser


def _drop_shortcodes(state: StateCore) -> None:
    """Between blocks and their inline marks, where code is known and words are not yet parsed."""
    page: Page = state.env["page"]
    for token in state.tokens:
        if token.type in ("inline", "html_block"):
            token.content = page.without_shortcodes(token.content)


class Page:
    """One page while it is written out: what HTML is open, which headings were met."""

    def __init__(self, *, is_mdx: bool = False) -> None:
        self.is_mdx = is_mdx
        self._tags = Tags()
        self._cut_images = False
        self.is_deep = False

    def render(self, source: str) -> tuple[str, tuple[Heading, ...]]:
        """The text and its top-level headings, with the offset of each one's line."""
        if self.is_mdx:
            source = without_modules(source)
        tokens = _parser().parse(without_template_blocks(source), {"page": self})
        self.is_deep = any(token.level >= MAX_NESTING - 1 for token in tokens)
        tree = SyntaxTreeNode(tokens)
        blocks: list[str] = []
        headings: list[Heading] = []
        offset = 0
        for node in tree.children:
            block = tidy(clean(self._block(node)))  # entities may have brought unseen characters
            if not block:
                continue
            if node.type == "heading":
                level = int(node.tag[1])
                headings.append(Heading(level=level, text=block[level + 1 :], start=offset))
            blocks.append(block)
            offset += len(block) + 2
        return "\n\n".join(blocks), tuple(headings)

    def notices(self) -> tuple[Notice, ...]:
        found = []
        if self._tags.dropped:
            found.append(Notice(code="hidden_text", message="hidden text or comments were left out"))
        if self._cut_images:
            found.append(Notice(code="inline_image", message="images inside the text were left out"))
        if self.is_deep:
            message = f"quotes and lists that nest over {MAX_NESTING} levels deep were left out"
            found.append(Notice(code="deep_nesting", message=message))
        return tuple(found)

    def without_shortcodes(self, content: str) -> str:
        if "base64," in content:
            content, count = DATA_URI.subn("", content)
            self._cut_images = self._cut_images or count > 0
        return without_shortcodes(content, is_mdx=self.is_mdx)

    # Blocks: each gives its text, without blank lines around.

    def _block(self, node: SyntaxTreeNode) -> str:
        if node.type == "html_block":
            return self._html(node.content)
        self._tags.end_block()
        if self._tags.is_hidden:
            self._tags.dropped = True
            return ""
        write = getattr(self, f"_{node.type}", None)
        return write(node) if write else self._children(node, "\n\n")

    def _children(self, node: SyntaxTreeNode, between: str) -> str:
        return between.join(filter(None, (self._block(child) for child in node.children)))

    def _html(self, content: str) -> str:
        lines = (
            line.strip() if not line.startswith("    ") else line
            for line in self._tags.seen(content).split("\n")
        )
        return tidy("\n".join(lines))

    def _heading(self, node: SyntaxTreeNode) -> str:
        text = one_line(_HEADING_ID.sub("", self._plain(node.children[0])))
        return f"{'#' * int(node.tag[1])} {text}" if text else ""

    def _paragraph(self, node: SyntaxTreeNode) -> str:
        return _FOOTNOTE.sub(r"\1: ", self._inline(node.children[0]))

    def _fence(self, node: SyntaxTreeNode) -> str:
        mark = node.markup if node.markup else "```"
        info = node.info.strip().split(" ")[0]
        return f"{mark}{info}\n{node.content.rstrip(chr(10))}\n{mark}"

    def _code_block(self, node: SyntaxTreeNode) -> str:
        return f"```\n{node.content.rstrip(chr(10))}\n```"

    def _hr(self, node: SyntaxTreeNode) -> str:
        return ""

    def _blockquote(self, node: SyntaxTreeNode) -> str:
        return _prefixed(self._children(node, "\n\n"), "> ", "> ")

    def _bullet_list(self, node: SyntaxTreeNode) -> str:
        items = (_prefixed(self._children(item, "\n"), "- ", "  ") for item in node.children)
        return "\n".join(filter(None, items))

    def _ordered_list(self, node: SyntaxTreeNode) -> str:
        first = int(node.attrGet("start") or 1)
        items = []
        for number, item in enumerate(node.children, start=first):
            mark = f"{number}. "
            items.append(_prefixed(self._children(item, "\n"), mark, " " * len(mark)))
        return "\n".join(filter(None, items))

    def _table(self, node: SyntaxTreeNode) -> str:
        rows = [
            [self._cell(cell) for cell in row.children] for part in node.children for row in part.children
        ]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, f"|{' --- |' * len(rows[0])}")
        return "\n".join(lines)

    def _cell(self, cell: SyntaxTreeNode) -> str:
        return one_line(self._inline(cell.children[0])).replace("|", "\\|") if cell.children else ""

    # Inline: the text between the blocks' marks.

    def _inline(self, node: SyntaxTreeNode) -> str:
        text = "".join(self._piece(child) for child in node.children).strip()
        text = _joined([line.strip(" \t") for line in text.split("\n")])
        lines = (line.strip(" \t") for line in text.replace(_HARD_BREAK, "\n").split("\n"))
        return tidy("\n".join(lines))

    def _piece(self, node: SyntaxTreeNode) -> str:
        if node.type == "html_inline":
            return self._tags.seen(node.content).replace("\n", _HARD_BREAK)
        if self._tags.is_hidden:
            self._tags.dropped = True
            return ""
        if node.type == "code_inline":
            return _code_span(node.content)
        if node.type == "link":
            return self._link(node)
        return self._simple(node)

    def _simple(self, node: SyntaxTreeNode) -> str:
        if node.type in ("softbreak", "hardbreak"):
            return "\n" if node.type == "softbreak" else _HARD_BREAK
        if node.type == "image":
            return one_line("".join(self._plain_piece(child) for child in node.children)) or node.content
        if node.children:
            return "".join(self._piece(child) for child in node.children)
        return node.content

    def _link(self, node: SyntaxTreeNode) -> str:
        text = "".join(self._piece(child) for child in node.children).strip()
        address = str(node.attrGet("href") or "")
        if (
            not text
            or not address
            or address.startswith("#")
            or address.lower().startswith(("javascript:", "data:"))
        ):
            return text
        return text if text == address.removeprefix("mailto:") else f"[{text}]({address})"

    def _plain(self, node: SyntaxTreeNode) -> str:
        return "".join(self._plain_piece(child) for child in node.children)

    def _plain_piece(self, node: SyntaxTreeNode) -> str:
        if node.type == "html_inline":
            return self._tags.seen(node.content)
        if self._tags.is_hidden:
            return ""
        if node.type in ("softbreak", "hardbreak"):
            return " "
        if node.children:
            return "".join(self._plain_piece(child) for child in node.children)
        return node.content


def _joined(lines: Sequence[str]) -> str:
    """Lines of a paragraph in a row; scripts without spaces get none, a footnote begins a line."""
    text = lines[0]
    for line in lines[1:]:
        text += _between(text[-1:], line) + line
    return text


def _between(last: str, line: str) -> str:
    if line.startswith("[^"):
        return "\n"
    return "" if _CJK_BREAK.match(last + line[:1]) else " "


def _code_span(content: str) -> str:
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", content)), default=0) + 1)
    pad = " " if content.startswith("`") or content.endswith("`") else ""
    return f"{ticks}{pad}{content}{pad}{ticks}"


def _prefixed(text: str, first: str, rest: str) -> str:
    if not text:
        return ""
    lines = text.split("\n")
    return "\n".join([first + lines[0], *((rest + line).rstrip() for line in lines[1:])])
