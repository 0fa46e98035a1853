"""
Bytes to clean text: one encoding, NFC, LF, nothing that can't be seen.

Every reader hands its text through `clean`, so that spans, hashes and searches agree on it.
"""

import codecs
import re
import unicodedata

from magpie.errors import DocumentRefused
from magpie.model import Notice

# UTF-32 first: its little-endian mark begins with that of UTF-16.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
BINARY_SHARE = 0.1  # a text may hold a stray NUL; a program or picture holds many

_LINE_ENDS = re.compile("\r\n?|\u0085|\u2028|\u2029")
# Control characters but tab and LF; directional overrides, zero-width space and joiner marks that
# hide words (not the joiners that Persian and emoji need); the invisible "tag" block; soft hyphens;
# half surrogate pairs, which JSON can write and nothing can store.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_BLANK_LINES = re.compile(r"\n{3,}")
DATA_URI = re.compile(r"data:[a-z]+/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=\s]{40,}", re.IGNORECASE)


def decode(path: str, raw: bytes) -> tuple[str, tuple[Notice, ...]]:
    """
    Text of a file that is UTF-8, or says by its mark that it is something else.

    Raises: DocumentRefused `bad_encoding` where the bytes are no text, or don't say which.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return _decoded(path, raw[len(mark) :], encoding), _notice_encoding(encoding)
    nul_count = raw.count(b"\0")
    if nul_count > BINARY_SHARE * len(raw):
        raise DocumentRefused(
            path, "bad_encoding", "holds binary data, or UTF-16 without its mark; save it as UTF-8"
        )
    return _decoded(path, raw, "utf-8"), _notice_nul(nul_count)


def _decoded(path: str, raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as exc:
        reason = f"byte {exc.start} is not {encoding.upper()}; save the file as UTF-8"
        raise DocumentRefused(path, "bad_encoding", reason) from exc


def _notice_encoding(encoding: str) -> tuple[Notice, ...]:
    if encoding == "utf-8":
        return ()
    return (Notice(code="encoding", message=f"was decoded from {encoding.upper()}; UTF-8 is safer"),)


def _notice_nul(count: int) -> tuple[Notice, ...]:
    if not count:
        return ()
    return (Notice(code="nul_bytes", message=f"{count} NUL bytes were dropped"),)


def clean(text: str) -> str:
    """NFC, LF, no unseen characters; spaces inside a line stay as they are."""
    return unicodedata.normalize("NFC", _UNSEEN.sub("", _LINE_ENDS.sub("\n", text)))


def tidy(text: str) -> str:
    """No trailing blanks, at most one empty line in a row, none around."""
    # Not by a pattern: one that looks for blanks before a line's end takes forever over many blanks.
    lines = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", lines).strip("\n")


def one_line(text: str) -> str:
    """White space collapsed, for titles and labels."""
    return " ".join(text.split())
