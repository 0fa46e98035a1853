"""Labelled lines: `Label: value`, `**Label** - value`, `| Label | value |`, a label with its value in the next line."""

import re
from collections.abc import Iterator
from functools import lru_cache

_LEAD = r"(?:^|[|;•·\t(,]|[ ][-–/][ ]|\.[ ]|[ ]{2}(?=[^ ]))[ >*_#?•·-]{0,8}+"
_SIGN = r"[*_`]{0,3}[ ]{0,12}(?::[ \t*_`|]{0,12}|\|[ \t*_`|]{0,12}|\t[ \t]{0,8}|[ ]-[ ]{1,4}|[ ]{3,20})(?:\n[ \t]{0,12})?"
_LONGEST = 200


@lru_cache(maxsize=64)
def _pattern(names: str) -> re.Pattern[str]:
    return re.compile(rf"{_LEAD}(?:{names}){_SIGN}(?=(?P<value>[^\n|;•·\t]{{1,{_LONGEST}}}))", re.I | re.M)


def labelled(text: str, names: str) -> Iterator[tuple[int, int]]:
    """
    Where the values of a label lie; `names` is a pattern over the plain view.

    A label only counts where something begins: a line, a table cell, a list item, a part after a comma.
    """
    for match in _pattern(names).finditer(text):
        start, end = match.span("value")
        value = match["value"]
        kept = value.rstrip(" \t\r*_,)")
        if kept:
            yield start, end - len(value) + len(kept)
