"""Which words of a PDF page a reader sees: not those of the invisible mode, in white on bare paper, or too small."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from magpie.ingesting.readers.pdf_content import Operation

INVISIBLE = 3  # text render mode of words that are there and not seen
LEAST_POINTS = 1.0  # of a letter: smaller ones are dust
_SHOWS_TEXT = frozenset((b"Tj", b"TJ", b"'", b'"'))
_PAINTS_AREAS = frozenset((b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"sh", b"Do", b"BI", b"INLINE IMAGE"))
_FILLS = frozenset((b"g", b"rg", b"k", b"sc", b"scn"))


@dataclass(frozen=True, slots=True)
class _Ink:
    """How words would be shown now; `scale` and `text_scale` are heights, `size` the font's, in units."""

    mode: int = 0
    white: bool = False
    size: float = LEAST_POINTS
    scale: float = 1.0
    text_scale: float = 1.0

    def hides(self, *, on_bare_paper: bool) -> bool:
        height = abs(self.size * self.scale * self.text_scale)
        return self.mode == INVISIBLE or (self.white and on_bare_paper) or height < LEAST_POINTS


def visible(operations: list[Operation]) -> list[Operation]:
    """
    The page without words that nobody sees, where it shows others.

    A page with nothing but hidden words is a scan with its recognised text, or has a measure of
    its own: that stays. White words stay on a page that paints areas or pictures, for they may
    stand on one.
    """
    on_bare_paper = not any(operator in _PAINTS_AREAS for _, operator in operations)
    hidden = [
        operator in _SHOWS_TEXT and ink.hides(on_bare_paper=on_bare_paper)
        for (_, operator), ink in zip(operations, _inks(operations), strict=True)
    ]
    shows = sum(operator in _SHOWS_TEXT for _, operator in operations)
    if sum(hidden) in (0, shows):
        return operations
    return [one for one, is_hidden in zip(operations, hidden, strict=True) if not is_hidden]


def _inks(operations: Sequence[Operation]) -> Iterator[_Ink]:
    saved: list[_Ink] = []
    ink = _Ink()
    for operands, operator in operations:
        if operator == b"q":
            saved.append(ink)
        elif operator == b"Q":
            ink = saved.pop() if saved else _Ink()
        elif operator not in _SHOWS_TEXT:
            ink = _changed(ink, operator, operands)
        yield ink


def _changed(ink: _Ink, operator: bytes, operands: Sequence[Any]) -> _Ink:
    if operator in _FILLS:
        return replace(ink, white=_is_white(operands))
    if operator == b"cs":
        return replace(ink, white=False)
    if operator == b"BT":
        return replace(ink, text_scale=1.0)
    if operator == b"Tr" and operands:
        return replace(ink, mode=int(operands[0]))
    if operator == b"Tf" and len(operands) == 2:
        return replace(ink, size=float(operands[1]))
    if operator == b"Tm" and len(operands) == 6:
        return replace(ink, text_scale=_height(operands))
    if operator == b"cm" and len(operands) == 6:
        return replace(ink, scale=ink.scale * _height(operands))
    return ink


def _is_white(operands: Sequence[Any]) -> bool:
    numbers = [one for one in operands if isinstance(one, int | float)]
    if len(numbers) != len(operands):
        return False  # a pattern
    return numbers in ([1], [1, 1, 1], [0, 0, 0, 0])


def _height(matrix: Sequence[Any]) -> float:
    return math.hypot(float(matrix[2]), float(matrix[3]))
