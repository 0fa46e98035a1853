"""
Two columns that a program drew row by row, across the page: read one after the other.

Most programs draw a column at a time, and their pages are left as they are. Rows count as columns where both halves
are long and about as long as each other's neighbours: the cells of a table are neither.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

Piece = tuple[str, float, float]
"""Text as it was drawn, with its place from the left and from the bottom."""

SAME_ROW = 2.0
SAME_PLACE = 3.0
LEAST_GUTTER = 100.0
LEAST_CHARS = 20
LEAST_ROWS = 5
EVEN = 0.6
"""The middle length of a column's lines, as a share of the longest: lines of prose fill their column."""


def in_columns(pieces: Sequence[Piece]) -> str | None:
    """The page's text with its columns apart; None where it has no such columns."""
    rows = list(_rows(pieces))
    right = _right_edge(rows)
    if right is None:
        return None
    return "\n".join(line for is_split, run in _runs(rows, right) for line in _lines(run, is_split=is_split))


def _lines(run: Sequence[Sequence[Piece]], *, is_split: bool) -> list[str]:
    if is_split and len(run) >= LEAST_ROWS:
        left, right = ([row[side][0].strip() for row in run] for side in (0, 1))
        if _is_even(left) and _is_even(right):
            return [*left, *right]
    return ["".join(text for text, _, _ in row).strip() for row in run]


def _rows(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """What stands side by side, in the order in which it was drawn."""
    row: list[Piece] = []
    for piece in pieces:
        if not piece[0].strip():
            continue
        if row and abs(piece[2] - row[-1][2]) > SAME_ROW:
            yield row
            row = []
        row.append(piece)
    if row:
        yield row


def _right_edge(rows: Sequence[Sequence[Piece]]) -> float | None:
    """Where the second column begins, if there is one."""
    edges = Counter(round(row[1][1]) for row in rows if _is_pair(row))
    edge, count = max(edges.items(), key=lambda one: one[1], default=(0, 0))
    return float(edge) if count >= LEAST_ROWS else None


def _is_pair(row: Sequence[Piece]) -> bool:
    return (
        len(row) == 2
        and row[1][1] - row[0][1] >= LEAST_GUTTER
        and min(len(row[0][0].strip()), len(row[1][0].strip())) >= LEAST_CHARS
    )


def _runs(rows: Sequence[list[Piece]], right: float) -> Iterator[tuple[bool, list[list[Piece]]]]:
    """Rows in a row that have a piece at the edge, and those that have none."""
    run: list[list[Piece]] = []
    was_split = False
    for row in rows:
        is_split = len(row) == 2 and abs(row[1][1] - right) <= SAME_PLACE
        if run and is_split != was_split:
            yield was_split, run
            run = []
        run.append(row)
        was_split = is_split
    if run:
        yield was_split, run


def _is_even(column: Sequence[str]) -> bool:
    lengths = [len(text) for text in column]
    return median(lengths) >= max(LEAST_CHARS, EVEN * max(lengths))
