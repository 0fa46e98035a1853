"""
The plain view of a text: what a reader sees, in letters that patterns can read, with the way back.

Unseen characters go, accents go, full-width and foreign digits become ASCII, look-alike at signs, dots, hyphens
and spaces become the usual ones, HTML entities are decoded, inline tags without attributes vanish. Case stays.
Each character of the view knows which characters of the source it stands for.
"""

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

Span = tuple[str, int, int]
"""Kind, start and end of something found."""

MASK = "\ue000"
"""Stands for each character of a placeholder of ours; no pattern takes it for a letter."""
CONTACT_MASK = "\ue001"
"""The same for an e-mail or phone that was redacted: it still says that a line holds contacts."""

_UNSEEN = (
    "\x00-\x08\x0e-\x1f\x7f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef"
)
_COMBINING = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_SPECIAL = re.compile(
    rf"(?P<mask>\[redacted [a-z][a-z -]{{2,20}}\])"
    rf"|(?P<gone>[{_UNSEEN}{_COMBINING}]+|</?(?:span|b|i|u|em|strong|wbr|font|small|sup|sub|nobr)[ ]?/?>"
    r"|<!--[^@\d<>]{0,80}-->|\\(?=[\\@._+*()\[\]{}#-]))"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|commat|period|nbsp|ensp|emsp|thinsp|amp|lpar|rpar|lsqb|rsqb|plus"
    r"|hyphen|dash|ndash|mdash|shy|zwj|zwnj|colon|sol|num|lowbar|quot|apos|lt|gt);?"
    r"|&(?:[A-Za-z](?:uml|acute|grave|circ|tilde|cedil|ring|slash|caron)|szlig|[AOao][Ee]lig|[Tt]horn|eth|ETH|[Dd]strok);)"
    r"|(?P<percent>(?<=\w)%(?:40|2[Ee])(?=\w)|(?<=:)%2[Bb](?=\d))"
    r"|(?P<newline>\r\n)"
)
_SEEN_BEFORE_ENTITY = re.compile(r"[\[&%<\\\r\x00-\x08\x0e-\x1f\x7f]")
_BARE_UNSEEN = re.compile(f"[{_UNSEEN}{_COMBINING}]")

_LOOKALIKE = {
    **dict.fromkeys("。｡۔‧ꓸ․∙⸳", "."),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－⁃⸺", "-"),
    **dict.fromkeys("⁄∕⧸", "/"),
    **dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n"),
    **dict.fromkeys("‘’‛ʼ′", "'"),
    **dict.fromkeys("“”„″", '"'),
    "ß": "ss",
    "ẞ": "SS",
    "đ": "d",
    "Đ": "D",
    "ð": "d",
    "Ð": "D",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ı": "i",
    "þ": "th",
    "Þ": "Th",
    "⓪": "0",
    "…": "…",
    "·": "·",
    "•": "•",
}


class _Plain(dict[int, str]):
    """A translation table that fills itself: code point to what it looks like."""

    def __missing__(self, code: int) -> str:
        self[code] = plain = _plain(chr(code))
        return plain


def _plain(char: str) -> str:
    if char.isascii() and char not in _LOOKALIKE:
        return char
    if char in _LOOKALIKE:
        return _LOOKALIKE[char]
    if char.isspace():
        return " "
    digit = unicodedata.digit(char, -1)
    if digit >= 0:
        return str(digit)
    return _without_marks(char)


def _without_marks(char: str) -> str:
    parts = unicodedata.normalize("NFKD", char)
    bare = "".join(part for part in parts if not unicodedata.combining(part)) or char
    return "".join(_LOOKALIKE.get(part, part) for part in bare).replace("\xa0", " ")


_PLAIN = _Plain()


@dataclass(frozen=True, slots=True)
class View:
    """
    `text` is the plain view; `starts[i]:ends[i]` is what `text[i]` stands for in the source.

    Both are None where the view is the source, character by character.
    """

    text: str
    starts: tuple[int, ...] | range
    ends: tuple[int, ...] | range

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the view that is not empty lies in the source."""
        return self.starts[start], self.ends[end - 1]


def view(source: str) -> View:
    """The plain view of a text. Linear in its length."""
    if source.isascii() and not _SEEN_BEFORE_ENTITY.search(source):
        return View(source, range(len(source)), range(1, len(source) + 1))
    return _Building(source).built()


class _Building:
    """A view under construction."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []

    def built(self) -> View:
        position = 0
        for match in _SPECIAL.finditer(self._source):
            self._copy(position, match.start())
            self._replace(match)
            position = match.end()
        self._copy(position, len(self._source))
        return View("".join(self._parts), tuple(self._starts), tuple(self._ends))

    def _copy(self, start: int, end: int) -> None:
        if start == end:
            return
        piece = self._source[start:end]
        plain = piece.translate(_PLAIN)
        # The table never shortens, so equal length means one for one.
        if len(plain) == len(piece):
            self._add(plain, range(start, end), range(start + 1, end + 1))
            return
        for offset, char in enumerate(piece, start):
            self._stand_for(char.translate(_PLAIN), offset, offset + 1)

    def _replace(self, match: re.Match[str]) -> None:
        group, start, end = match.lastgroup, match.start(), match.end()
        if group == "mask":
            mask = CONTACT_MASK if match[0] in ("[redacted email]", "[redacted phone]") else MASK
            self._add(mask * (end - start), range(start, end), range(start + 1, end + 1))
        elif group == "entity":
            self._stand_for(
                _BARE_UNSEEN.sub("", html.unescape(_closed(match[0]))).translate(_PLAIN), start, end
            )
        elif group == "percent":
            self._stand_for({"40": "@", "2e": ".", "2b": "+"}[match[0][1:].lower()], start, end)
        elif group == "newline":
            self._stand_for("\n", start, end)

    def _stand_for(self, plain: str, start: int, end: int) -> None:
        self._add(plain, [start] * len(plain), [end] * len(plain))

    def _add(self, plain: str, starts: range | list[int], ends: range | list[int]) -> None:
        self._parts.append(plain)
        self._starts.extend(starts)
        self._ends.extend(ends)


def _closed(entity: str) -> str:
    return entity if entity.endswith(";") else f"{entity};"


# --- Squeezed: letters and digits alone, for literals -----------------------------------------

# Cyrillic and Greek letters that look like Latin ones, after case folding.
_TWINS = str.maketrans(
    "аеорсухіјѕһԁԛԝѵαονιρτυκχвкмнт", "aeopcyxijshdqwvaovipтukx".replace("т", "t") + "bkmht"
)


@dataclass(frozen=True, slots=True)
class Squeezed:
    """The letters and digits of a view, case folded, and where each stood in the view."""

    text: str
    places: tuple[int, ...]


def squeeze(text: str) -> Squeezed:
    """Leave out what is neither letter nor digit, fold case and look-alike letters."""
    return _squeezed((place, char) for place, char in enumerate(text) if char.isalnum())


def squeeze_spelled(plain: View, source: str) -> Squeezed | None:
    """The same with umlauts written out, `Müller` as `mueller`; None where the source has none."""
    if not _SPELLED_OUT.search(source):
        return None
    places = enumerate(zip(plain.text, plain.starts, plain.ends, strict=True))
    return _squeezed(
        (place, char + _second_letter(source, start, end))
        for place, (char, start, end) in places
        if char.isalnum()
    )


def _squeezed(kept: Iterable[tuple[int, str]]) -> Squeezed:
    folded = [(place, part) for place, chars in kept for part in chars.casefold().translate(_TWINS)]
    return Squeezed("".join(part for _, part in folded), tuple(place for place, _ in folded))


_SPELLED_OUT = re.compile(r"[äöüøåÄÖÜØÅ]|[aouAOU]\u0308|[aA]\u030a|&[AOUaou]uml;|&[Oo]slash;|&[Aa]ring;|&#")
_SECOND_LETTERS = {**dict.fromkeys("äöüøÄÖÜØ", "e"), **dict.fromkeys("åÅ", "a")}


def _second_letter(source: str, start: int, end: int) -> str:
    """The letter that an umlaut's writing out adds: `ü` is `ue`, `å` is `aa`; most letters add none."""
    written = source[start : end + 1] if source[end : end + 1] in ("\u0308", "\u030a") else source[start:end]
    return (
        ""
        if written.isascii() and "&" not in written
        else _SECOND_LETTERS.get(unicodedata.normalize("NFC", html.unescape(written)), "")
    )


# --- Spans --------------------------------------------------------------------------------------


def united(spans: list[Span]) -> tuple[Span, ...]:
    """Spans that overlap become one, of the kind of the longest; in order."""
    whole: list[Span] = []
    longest = 0
    for kind, start, end in sorted(spans, key=lambda span: (span[1], -span[2], span[0])):
        if not whole or start >= whole[-1][2]:
            whole.append((kind, start, end))
            longest = end - start
            continue
        before = whole[-1]
        keeps = end - start <= longest
        longest = max(longest, end - start)
        whole[-1] = (before[0] if keeps else kind, before[1], max(before[2], end))
    return tuple(whole)


class Lines:
    """Where the lines of a text begin, so that a line is found without a walk."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def around(self, place: int, more: int = 0, reach: int = 240) -> str:
        """The line of a place with `more` lines on both sides, at most `reach` characters each way."""
        number = bisect_right(self._starts, place) - 1
        start = self._starts[max(0, number - more)]
        last = min(len(self._starts) - 1, number + more)
        end = self._starts[last + 1] if last + 1 < len(self._starts) else len(self._text)
        return self._text[max(start, place - reach) : min(end, place + reach)]


def overlaps(spans: tuple[Span, ...], start: int, end: int) -> bool:
    """Does any of the spans, which are in order and apart, share a character with `start:end`?"""
    after = bisect_left(spans, end, key=lambda span: span[1])
    return after > 0 and spans[after - 1][2] > start
