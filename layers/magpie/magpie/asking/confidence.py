"""
How sure an answer is, before anyone has judged it: from the evidence that it rests on.

    w_r * retrieval + w_d * diversity + w_c * recency

Each part is 0 to 1; the weights and the calibration are the site file's. Uncalibrated, the number
orders answers and is no probability.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from magpie.asking.ranking import CALIBRATIONS, DEFAULT_CALIBRATION, Calibration, recency_of
from magpie.model import Evidence, Passage
from magpie.site import Site

MATCHED = 0.5  # found by its words alone: neither near nor far


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """`of_evidence` is the weighted sum, `said` what calibration makes of it."""

    of_evidence: float
    said: float


def confidence(used: Sequence[Evidence], site: Site, today: date) -> Confidence | None:
    """Of an answer that rests on this evidence; None where it rests on none, only on metadata."""
    if not used:
        return None
    weights = site.confidence
    passages = [item.passage for item in used]
    parts = (
        (weights.retrieval, _retrieval(passages, _calibration(site))),
        (weights.diversity, _diversity(passages)),
        (weights.recency, _recency(passages, site, today)),
    )
    whole = sum(weight for weight, _ in parts)
    total = sum(weight * part for weight, part in parts) / whole
    return Confidence(of_evidence=round(total, 4), said=round(calibrated(total, weights.points), 4))


def calibrated(value: float, points: Sequence[tuple[float, float]]) -> float:
    """On the line through the points (of the evidence, said); outside them the nearest one counts."""
    if not points:
        return value
    if value <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in pairwise(points):
        if value <= right:
            return low + (high - low) * (value - left) / (right - left)
    return points[-1][1]


def _calibration(site: Site) -> Calibration:
    return CALIBRATIONS.get(site.embeddings.primary.model, DEFAULT_CALIBRATION)


def _retrieval(passages: Iterable[Passage], calibration: Calibration) -> float:
    """How near the best of it came: a route that knows its source is sure, a cosine is read by its model."""
    return max(_nearness(passage, calibration) for passage in passages)


def _nearness(passage: Passage, calibration: Calibration) -> float:
    if passage.route != "semantic":
        return 1.0
    if passage.semantic is None:
        return MATCHED
    reach = 2 * (calibration.weak - calibration.floor)
    return min(1.0, max(0.0, (passage.semantic - calibration.floor) / reach))


def _diversity(passages: Iterable[Passage]) -> float:
    """One source says it: a half; each further one halves what is left of the doubt."""
    return float(1 - 0.5 ** len({passage.key for passage in passages}))


def _recency(passages: Iterable[Passage], site: Site, today: date) -> float:
    half_life = site.retrieval.recency_half_life_days
    return max(recency_of(passage.published, today, half_life) for passage in passages)
