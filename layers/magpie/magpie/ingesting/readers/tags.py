"""
HTML inside Markdown: tags go, what a reader of the page would see stays.

`Tags` keeps what is open between pieces, since Markdown hands HTML over in pieces: a hidden `div`
hides all blocks up to its end.
"""

import re
from collections import Counter
from html.parser import HTMLParser

VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)
UNSEEN = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "head",
        "title",
        "iframe",
        "object",
        "svg",
        "math",
        "canvas",
        "audio",
        "video",
        "select",
    ]
)
BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0?(?:\.0\d*|(?<=0))\s*(?:;|!|$)"
    r"|font-size\s*:\s*(?:0(?:\.\d+)?(?:px|pt|%)?|0?(?:\.0\d*|(?<=0))(?:em|rem)|1px)\s*(?:;|!|$)|(?:text-indent|left|top)\s*:\s*-\d{3,}"
    r"|clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(?:50|100)%|(?:^|;)\s*(?:max-)?(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|$)"
    r"|transform\s*:\s*(?:scale\(\s*0\s*\)|translate[xy]?\(\s*-\d{3,})|color\s*:\s*transparent",
    re.IGNORECASE,
)
# `<![if IE]>` and whatever else begins so: the standard library's parser fails at some, browsers show none.
_MARKED_SECTION = re.compile(r"<!\[[^<>]*+>?")
_COLOURS = re.compile(r"(?:^|;)\s*(color|background(?:-color)?)\s*:\s*([^;!]+)", re.IGNORECASE)
_NAMED_COLOURS = {
    "white": "#ffffff",
    "rgb(255,255,255)": "#ffffff",
    "black": "#000000",
    "rgb(0,0,0)": "#000000",
}
HIDING_CLASSES = frozenset(
    [
        "hidden",
        "d-none",
        "hide",
        "visually-hidden",
        "visuallyhidden",
        "sr-only",
        "screen-reader-text",
        "screen-reader-only",
        "offscreen",
        "is-hidden",
        "invisible",
        "usa-sr-only",
        "element-invisible",
        "a11y-hidden",
    ]
)


_HIDING_NAME = re.compile(
    r"(?:^|[\s_-])(?:visually[_-]?hidden|hid(?:e|den)[_-]visually|sr[_-]?only|screen[_-]?reader(?:[_-](?:text|only))?)(?:\s|$)"
)


def hides(tag: str, attributes: dict[str, str | None]) -> bool:
    """Whether an element's own tag says that nobody sees it."""
    if tag in UNSEEN or "hidden" in attributes:
        return True
    if (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    names = (attributes.get("class") or "").lower()
    if names and (HIDING_CLASSES.intersection(names.split()) or _HIDING_NAME.search(names)):
        return True
    style = attributes.get("style") or ""
    return bool(_HIDING_STYLE.search(style)) or _is_in_its_own_colour(style)


def _is_in_its_own_colour(style: str) -> bool:
    """White on white and the like."""
    colours = {name.lower(): _colour(value) for name, value in _COLOURS.findall(style)}
    ground = colours.get("background-color") or colours.get("background")
    return ground is not None and colours.get("color") == ground


def _colour(written: str) -> str:
    """As six digits where it is a name that is used for it, or three."""
    colour = "".join(written.lower().split())
    if re.fullmatch("#[0-9a-f]{3}", colour):
        return "#" + "".join(digit * 2 for digit in colour[1:])
    return _NAMED_COLOURS.get(colour, colour)


class Tags(HTMLParser):
    """Feed it pieces of HTML with `seen`; text outside may ask `is_hidden`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.dropped = False
        self._open: list[tuple[str, bool]] = []
        self._hidden_count = 0
        self._names = Counter[str]()  # of what is open: most ends of tags have none
        self._parts: list[str] = []
        self._links: list[str] = []

    @property
    def is_hidden(self) -> bool:
        """Whether an open element hides what comes now."""
        return self._hidden_count > 0

    def seen(self, html: str) -> str:
        """The visible text of a piece; block elements end lines."""
        self._parts = []
        self.feed(_MARKED_SECTION.sub("", html))
        if self.rawdata:  # an unfinished tag or comment: nothing of it shows
            self.reset_buffer()
        return "".join(self._parts)

    def reset_buffer(self) -> None:
        """Forget a half tag; what is open stays open."""
        self.rawdata = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in BLOCKS:
            self._parts.append("\n")
            self._close_paragraph(tag)
        if tag == "pre" and not self.is_hidden:
            self._parts.append("```\n")
        if tag == "img" and not self.is_hidden and not hides(tag, attributes):
            self._parts.append((attributes.get("alt") or "").strip())
        if tag in VOID:
            return
        if tag == "a" and not self.is_hidden:
            self._open_link(attributes.get("href") or "")
        is_hidden = hides(tag, attributes)
        self._open.append((tag, is_hidden))
        self._hidden_count += is_hidden
        self._names[tag] += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        position = self._last(tag)
        if position < 0:
            return
        if tag == "a" and not self.is_hidden:
            self._close_link()
        if tag == "pre" and not self.is_hidden:
            self._parts.append("\n```")
        while len(self._open) > position:
            self._close_last()
        if tag in BLOCKS:
            self._parts.append("\n")

    def _last(self, tag: str) -> int:
        """Where the last open element of the name stands; -1 where none is open."""
        if not self._names[tag]:
            return -1
        return next(at for at in range(len(self._open) - 1, -1, -1) if self._open[at][0] == tag)

    def _close_last(self) -> None:
        tag, hidden = self._open.pop()
        self._hidden_count -= hidden
        self._names[tag] -= 1

    def handle_data(self, data: str) -> None:
        if not self.is_hidden:
            self._parts.append(data)
        elif data.strip():
            self.dropped = True

    def handle_comment(self, data: str) -> None:
        self.dropped = self.dropped or bool(data.strip())

    def end_block(self) -> None:
        """A blank line of Markdown ends an open paragraph, as a browser would see it."""
        self._close_paragraph("p")

    def _close_paragraph(self, tag: str) -> None:
        if self._open and self._open[-1][0] == "p" and tag != "br":
            self._close_last()

    def _open_link(self, address: str) -> None:
        shown = address if re.match(r"https?://|/|mailto:|tel:", address) else ""
        self._links.append(shown)
        self._parts.append("[" if shown else "")

    def _close_link(self) -> None:
        address = self._links.pop() if self._links else ""
        self._parts.append(f"]({address})" if address else "")
