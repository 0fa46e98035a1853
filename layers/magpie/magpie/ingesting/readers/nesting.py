"""
Pages whose elements nest deeper than a parser goes: wrappers that say nothing are taken away, their text stays.

A parser stops at about 250 levels and leaves the rest of a page out. Made by programs, such depth is all wrappers.
"""

import re

from magpie.ingesting.readers.tags import HIDING_CLASSES
from magpie.model import Notice

MAX_DEPTH = 100
_BLOCKS = "div|section|article|main|center|blockquote|ul|ol|table|dl"
_TAG = re.compile(
    rf"<!--.*?(?:-->|\Z)|<(?P<end>/?)(?P<name>{_BLOCKS}|span|font|b|i|em|strong|u|s|small|big|tt|a)(?P<rest>(?=[\s/>])[^<>]*)>",
    re.IGNORECASE | re.DOTALL,
)
_HIDING = "|".join(map(re.escape, sorted(HIDING_CLASSES)))
_HIDES = re.compile(rf"style|hidden|class\s*=[^>]*(?<![\w-])(?:{_HIDING})(?![\w-])", re.IGNORECASE)
_IS_NAMED = re.compile(r"class|\bid\b", re.IGNORECASE)  # a style sheet of the page's own may hide it
_SHEET = re.compile(r"<style", re.IGNORECASE)


def shallow(source: str) -> tuple[str, tuple[Notice, ...]]:
    """The page without its wrappers over `MAX_DEPTH` levels deep; those that may hide something stay."""
    walk = _Walk(has_sheet=bool(_SHEET.search(source)))
    shallower = _TAG.sub(walk.seen, source)
    if not walk.dropped:
        return source, ()
    message = f"{walk.dropped} elements over {MAX_DEPTH} levels deep were taken away, their text was kept"
    return shallower, (Notice(code="deep_nesting", message=message),)


class _Walk:
    """Goes from tag to tag; knows which of the open elements were taken away."""

    def __init__(self, *, has_sheet: bool) -> None:
        self._has_sheet = has_sheet
        self.dropped = 0
        self._open: list[tuple[str, bool]] = []

    def seen(self, match: re.Match[str]) -> str:
        """What stands in place of a tag."""
        if match["name"] is None:
            return match[0]
        name, gap = match["name"].lower(), "<br>" if match["name"].lower() in _BLOCKS.split("|") else ""
        if match["end"]:
            if not self._open or self._open[-1][0] != name:
                return match[0]
            return gap if self._open.pop()[1] else match[0]
        is_dropped = len(self._open) >= MAX_DEPTH and not self._may_hide(match["rest"])
        self._open.append((name, is_dropped))
        self.dropped += is_dropped
        return gap if is_dropped else match[0]

    def _may_hide(self, attributes: str) -> bool:
        return bool(_HIDES.search(attributes) or (self._has_sheet and _IS_NAMED.search(attributes)))
