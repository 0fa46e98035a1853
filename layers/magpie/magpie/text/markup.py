"""
Markdown to the plain text that may leave: paragraphs and simple lists, nothing that a browser could run or load.

No images, no HTML, no addresses but those that a link token stands for (`[[link:3]]`; who holds the tokens turns
them back). Disguises are taken off first: entities, invisible and control characters, wide letters. Every
expression is linear: repetition is bounded or over one class.
"""

import html
import re
import unicodedata

from magpie.text.words import visible

TOKEN = re.compile(r"\[\[link:(\d{1,4})\]\]")

_UNESCAPES = 3  # "&amp;#106;" is an entity of an entity
_COMMENT = re.compile(r"<!--[^>]{0,2000}(?:-->|>|$)")
_TAG = re.compile(r"</?[A-Za-z!?][^<>]{0,2000}>")
# A tag that is never closed; "<budget" alone is a comparison.
_OPEN_TAG = re.compile(r"</?[A-Za-z][\w-]{0,30}[\s/][^<>\n]{0,1000}=[^<>\n]{0,1000}$", re.MULTILINE)
_SILENT = re.compile(
    r"<(script|style|iframe|object|svg|template|noscript)\b[^<]{0,2000}(?:<(?!/\1)[^<]{0,2000}){0,20}</\1\s*>",
    re.IGNORECASE,
)
_IMAGE = re.compile(
    r"!\[[^\[\]\n]{0,500}\](?:\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,3}\)|\[[^\[\]\n]{0,200}\])?"
)
_LINK = re.compile(r"\[([^\[\]\n]{1,500})\]\(([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,3})\)")
_REFERENCE_LINK = re.compile(r"\[([^\[\]\n]{1,500})\]\[[^\[\]\n]{0,200}\](?!\])")
_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\[\]\n]{1,200}\]:[ \t]*\S[^\n]{0,2000}$\n?", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,8}(?:`{3,}|~{3,})[^\n]{0,200}$\n?", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+|[ \t]+#{1,6}[ \t]*$", re.MULTILINE)
_QUOTE = re.compile(r"^[ \t]{0,3}(?:>[ \t]?){1,10}", re.MULTILINE)
_RULE = re.compile(r"^[ \t]{0,3}(?:[-*_=][ \t]?){3,200}$\n?", re.MULTILINE)
_STRONG = re.compile(
    r"(?<!\w)\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?!\w)|(?<![\w_])_{1,3}(?=\w)|(?<=[\w.,;:!?)])_{1,3}(?![\w_])|~~"
)
_CODE = re.compile(r"`{1,3}")
_TABLE_RULE = re.compile(r"^[ \t]{0,3}\|?[ \t:|-]{3,200}\|[ \t:|-]{0,200}$\n?", re.MULTILINE)
_TABLE_EDGE = re.compile(r"^[ \t]{0,3}\|[ \t]?|[ \t]?\|[ \t]*$", re.MULTILINE)
_TABLE_CELL = re.compile(r"[ \t]\|[ \t]")
_S = r"[\s\x00-\x20]{0,3}"
_SCHEME = re.compile(
    rf"(?<![A-Za-z])(?:{_S.join('javascript')}|{_S.join('vbscript')}|{_S.join('livescript')}){_S}:(?=\S)\S{{0,2000}}"
    rf"|(?<![A-Za-z]){_S.join('data')}{_S}:(?=[\w.+/-]{{0,100}}[;,])\S{{0,10000}}"
    r"|(?<![A-Za-z])(?:file|blob|filesystem|about|view-source|intent|ftp|wss?|jar|ms-\w{1,30}|chrome\w{0,20}):(?=/|\w)\S{0,2000}",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"(?:https?:|mailto:|tel:)(?://)?[^\s<>\"'`{}|\\^\[\]]{1,2000}|(?<![\w:])//[\w.-]{1,250}\.[A-Za-z]{2,24}[^\s<>\"']{0,2000}",
    re.IGNORECASE,
)


def plain(markdown: str) -> str:
    """
    The text without markup. A link keeps its words, and its token where it has one.

    White space at either end stays, so that sentences can be joined again.
    """
    text = _markup_gone(undisguised(markdown))
    return _SCHEME.sub("", text)


def without_addresses(text: str) -> str:
    """Every address that is spelt out goes; tokens stay."""
    return _ADDRESS.sub("", text)


def undisguised(text: str) -> str:
    """Entities decoded, invisible characters gone, letters in their plain form where they pose as Latin ones."""
    for _ in range(_UNESCAPES):
        decoded = html.unescape(text)
        if decoded == text:
            break
        text = decoded
    return _latin(visible(text))


def _latin(text: str) -> str:
    """Wide, mathematical and circled letters as plain ones; all else, `½` and `²` too, as it is."""
    if text.isascii():
        return text
    return "".join(_plain_letter(char) for char in text)


def _plain_letter(char: str) -> str:
    if char.isascii():
        return char
    plain = unicodedata.normalize("NFKC", char)
    posing = plain.isascii() and len(plain) == 1 and (plain.isalpha() or plain in ":/.()[]<>!")
    return plain if posing and char not in "…" else char


def _markup_gone(text: str) -> str:
    for pattern in (_SILENT, _COMMENT, _TAG, _OPEN_TAG, _IMAGE, _DEFINITION, _FENCE, _TABLE_RULE, _RULE):
        text = pattern.sub("", text)
    text = _REFERENCE_LINK.sub(r"\1", _LINK.sub(_words_of_link, text))
    text = _TABLE_CELL.sub(", ", _TABLE_EDGE.sub("", text)) if "|" in text else text
    for pattern in (_HEADING, _QUOTE, _STRONG, _CODE):
        text = pattern.sub("", text)
    return text


def _words_of_link(match: re.Match[str]) -> str:
    words, target = match[1], match[2].strip()
    token = TOKEN.match(target)
    return f"{words} ({token[0]})" if token and words != token[0] else words


__all__ = ["TOKEN", "plain", "undisguised", "without_addresses"]
