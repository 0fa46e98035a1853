"""Vectors as plain tuples: no numpy at a cold start."""

import math
from collections.abc import Sequence


def unit(values: Sequence[float]) -> tuple[float, ...]:
    """The vector scaled to length 1; a vector of zeros stays as it is."""
    norm = math.sqrt(math.fsum(value * value for value in values))
    if norm == 0:
        return tuple(values)
    return tuple(value / norm for value in values)
