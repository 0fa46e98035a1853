"""
Said against right: does an answer that says 0.8 hold in eight cases of ten? Pure.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from magpie.learning.scoring import Judged, Rate

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
GROUPS = 5
LEAST_A_GROUP = 4  # fewer answers say nothing about a share


def is_right(one: Judged) -> bool:
    """An answer that was given and holds; an answer to what no page says does not."""
    return one.is_right is not False and not one.is_confident_wrong


def answers(judged: Sequence[Judged]) -> list[Judged]:
    """Those that were given with a confidence."""
    return [one for one in judged if one.given.confidence is not None]


def said_against_right(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """A row for each fifth of the scale that holds an answer: how sure they said they were, how many were right."""
    rows = []
    for low, high in itertools.pairwise(EDGES):
        held = [one for one in answers(judged) if _within(one.given.confidence or 0.0, low, high)]
        if held:
            said = sum(one.given.confidence or 0.0 for one in held) / len(held)
            rate = Rate(hits=sum(map(is_right, held)), count=len(held))
            rows.append({"from": low, "to": high, "said": round(said, 4), **rate.as_json()})
    return rows


def _within(value: float, low: float, high: float) -> bool:
    return low <= value < high or (high == EDGES[-1] and value == high)


def error(rows: Sequence[Mapping[str, Any]]) -> float:
    """The mean distance between said and right, by the number of answers."""
    count = sum(row["count"] for row in rows)
    return (
        round(sum(row["count"] * abs(row["said"] - row["rate"]) for row in rows) / count, 4) if count else 0.0
    )


def points(judged: Sequence[Judged]) -> list[list[float]]:
    """
    What `confidence.points` of the site file should be: (of the evidence, share right), never falling.

    Neighbours that fall are pooled; each share counts one right and one wrong answer more, so that
    a handful of right ones promises nothing. Empty where there are too few answers.
    """
    found = sorted(answers(judged), key=lambda one: one.given.of_evidence or 0.0)
    size = max(LEAST_A_GROUP, -(-len(found) // GROUPS))
    groups = [found[at : at + size] for at in range(0, len(found), size)]
    if len(groups) > 1 and len(groups[-1]) < LEAST_A_GROUP:
        groups[-2:] = [groups[-2] + groups[-1]]
    pools = [_pool(group) for group in groups if len(group) >= LEAST_A_GROUP]
    level: list[tuple[float, int, int]] = []
    for pool in pools:
        level.append(pool)
        while len(level) > 1 and (_share(level[-2]) >= _share(level[-1]) or level[-2][0] >= level[-1][0]):
            level[-2:] = [_together(level[-2], level[-1])]
    return [[round(where, 3), round(_share((where, hits, count)), 3)] for where, hits, count in level]


def _pool(group: Sequence[Judged]) -> tuple[float, int, int]:
    where = sum(one.given.of_evidence or 0.0 for one in group) / len(group)
    return where, sum(map(is_right, group)), len(group)


def _together(one: tuple[float, int, int], other: tuple[float, int, int]) -> tuple[float, int, int]:
    count = one[2] + other[2]
    return (one[0] * one[2] + other[0] * other[2]) / count, one[1] + other[1], count


def _share(pool: tuple[float, int, int]) -> float:
    return (pool[1] + 1) / (pool[2] + 2)


def calibration(judged: Sequence[Judged]) -> dict[str, Any]:
    """All of it as plain JSON."""
    rows = said_against_right(judged)
    return {"table": rows, "error": error(rows), "points": points(judged)}
