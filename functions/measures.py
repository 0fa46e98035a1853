"""
Measures of an answer, in the log line that it gets anyway: CloudWatch reads metrics out of a line that says
`_aws` (its embedded metric format), so that counting costs no call and no second line. Numbers and ids only.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

from magpie.model import Done, Failed

NAMESPACE = "Magpie"

COUNTED = (
    "classifier_malformed",
    "classifier_late",
    "planner_malformed",
    "planner_late",
    "held",
    "repaired",
    "quoted",
    "dropped",
    "canary",
    "prompt",
    "orders_dropped",
    "passages_withheld",
    "last_resort",
    "nothing_left",
    "record_failed",
)
"""What is counted while an answer is made. A name costs money by the month: these are looked at."""
FACTS = ("intent", "decided_by", "plan_by", "plan_items", "routes", "band", "safety", "confidence")
"""What else of the trail is logged: our own names and numbers, no path, no word."""
MILLISECONDS = ("first_text_ms", "total_ms")


def measures_of(
    last: Done | Failed | None, site: str, now_s: Callable[[], float] = time.time
) -> dict[str, Any]:
    """The line's fields. None: the visitor left. `site` is the dimension, so that one board shows many."""
    match last:
        case Done():
            facts, numbers = _of_done(last)
        case Failed(code=code):
            facts, numbers = {"code": code}, {"failed": 1}
        case None:
            facts, numbers = {}, {"left": 1}
    numbers = {"answers": 1, **numbers}
    return {**facts, **numbers, "site": site, "_aws": _embedded(numbers, now_s)}


def _of_done(done: Done) -> tuple[dict[str, Any], dict[str, float]]:
    trace, usage, timings = done.trace, done.usage, done.timings_ms
    counts: Mapping[str, int] = trace.get("counts", {})
    numbers: dict[str, float] = {
        f"outcome_{done.outcome.value}": 1,
        "calls": usage.calls,
        "cost_usd": usage.cost_usd,
        **{name: counts[name] for name in COUNTED if name in counts},
    }
    if safety := trace.get("safety"):
        numbers[f"safety_{safety}"] = 1
    for name in MILLISECONDS:
        if (measured := timings.get(name.removesuffix("_ms"))) is not None:
            numbers[name] = measured
    facts = {name: trace[name] for name in FACTS if name in trace}
    facts |= {"outcome": done.outcome.value, "citations": len(done.citations), "counts": dict(counts)}
    return facts, numbers


def _embedded(numbers: Mapping[str, float], now_s: Callable[[], float]) -> dict[str, Any]:
    metrics = [{"Name": name, "Unit": _unit(name)} for name in numbers]
    return {
        "Timestamp": int(now_s() * 1000),
        "CloudWatchMetrics": [{"Namespace": NAMESPACE, "Dimensions": [["site"]], "Metrics": metrics}],
    }


def _unit(name: str) -> str:
    if name == "cost_usd":
        return "None"
    return "Milliseconds" if name in MILLISECONDS else "Count"
