"""Labelled lines: `Label: value`, `**Label** - value`, `| Label | value |`, a label with its value in the next line."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_LEAD = r"(?:^|[|;•·\t(,]|[ ][-–/][ ]|\.[ ]|[ ]{2}(?=[^ ]))[ >*_#?•·-]{0,8}+"
_SIGN = r"[*_`]{0,3}[ ]{0,12}(?::[ \t*_`|]{0,12}|\|[ \t*_`|]{0,12}|\t[ \t]{0,8}|[ ]-[ ]{1,4}|[ ]{3,20})(?:\n[ \t]{0,12})?"
_LONGEST = 200


_INSIDE = r"(?<=[^\s:])[ ](?-i:(?=[A-Z]))"
_COLON = r"[*_`]{0,3}[ ]?:[ *_`]{0,6}"
_VALUE = rf"(?=(?P<value>[^\n|;•·\t]{{1,{_LONGEST}}}))"


@lru_cache(maxsize=64)
def _patterns(names: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Labels where something begins, and labels with a capital and a colon inside a line."""
    return (
        re.compile(rf"{_LEAD}(?:{names}){_SIGN}{_VALUE}", re.I | re.M),
        re.compile(rf"{_INSIDE}(?:{names}){_COLON}{_VALUE}", re.I),
    )


def labelled(text: str, names: str) -> Iterator[tuple[int, int]]:
    """
    Where the values of a label lie; `names` is a pattern over the plain view.

    A label only counts where something begins: a line, a table cell, a list item, a part after a comma; or inside
    a line that has had a label before: `Religion: none Gender: female`.
    """
    first, inside = _patterns(names)
    yield from _values(first.finditer(text))
    yield from _values(match for match in inside.finditer(text) if _has_label_before(text, match.start()))


def _has_label_before(text: str, place: int) -> bool:
    return ":" in text[max(0, place - _LONGEST) : place].rpartition("\n")[2]


def _values(matches: Iterable[re.Match[str]]) -> Iterator[tuple[int, int]]:
    for match in matches:
        start, end = match.span("value")
        value = match["value"]
        kept = value.rstrip(" \t\r*_,)")
        if kept:
            yield start, end - len(value) + len(kept)
