"""
Is a draft as good as what it would replace? The site's own questions asked of both, and compared.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from magpie.learning.scoring import MEASURES, Expected, Given, Judged, drops, judge, report
from magpie.model import GateReport, VersionId

FAILED = "failed"  # no answer at all: that says nothing of the pages, so nothing can be judged
BAD_IF = {"confident_wrong": True}  # all other measures are bad where they are False


class Examinee(Protocol):
    """One version of a site, asked as a visitor would ask it."""

    async def prepare(self) -> None:
        """Whatever the first question would wait for, so that it is judged like the last."""
        ...

    async def answer(self, expected: Expected) -> Given:
        """Never raises for a question that fails: then the outcome is `failed`. Raises: DatabaseUnavailable."""
        ...


async def examined(
    examinee: Examinee, rows: Sequence[Expected], tell: Callable[[int], None] = lambda _: None
) -> tuple[Judged, ...]:
    """Every question judged, in order; `tell` hears how many are done."""
    await examinee.prepare()
    judged = []
    for done, row in enumerate(rows, start=1):
        judged.append(judge(row, await examinee.answer(row)))
        tell(done)
    return tuple(judged)


def compared(
    rows: Sequence[Expected],
    now: Sequence[Judged],
    before: Sequence[Judged] | None,
    tolerance: float,
    before_id: VersionId | None = None,
) -> GateReport:
    """
    What fell by more than the tolerance, with the questions behind it.

    Without anything to compare with (a first version) nothing can fall.
    """
    failed = tuple(row.id for row, one in zip(rows, now, strict=True) if one.given.outcome == FAILED)
    if before is None:
        return GateReport(asked=len(rows), failed=failed)
    failed += tuple(row.id for row, one in zip(rows, before, strict=True) if one.given.outcome == FAILED)
    fallen = drops(report(now), report(before), tolerance)
    worse = [_worse(row, was, is_now) for row, was, is_now in zip(rows, before, now, strict=True)]
    return GateReport(
        asked=len(rows),
        before=before_id,
        drops=fallen,
        worse=tuple(filter(None, worse)),
        failed=tuple(dict.fromkeys(failed)),
    )


def _worse(row: Expected, was: Judged, is_now: Judged) -> str:
    """The question and what of it went wrong; empty where nothing did."""
    lost = [
        name
        for name, measure in MEASURES.items()
        if _is_bad(name, measure(is_now)) and not _is_bad(name, measure(was))
    ]
    if not lost:
        return ""
    outcome = f"{was.given.outcome} before, {is_now.given.outcome} now"
    return f"{row.id} ({row.question}): {outcome}; lost {', '.join(lost)}"


def _is_bad(name: str, value: bool | None) -> bool:
    return value is not None and value == BAD_IF.get(name, False)
