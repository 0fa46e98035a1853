"""
The trail of one answer: time by stage, what was spent, what was counted. For owners: no word of a visitor.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic as system_monotonic
from typing import Any

from magpie.model import Evidence, Usage, VersionId

GUARDED = frozenset(
    [
        "held",
        "repaired",
        "quoted",
        "dropped",
        "canary",
        "leak",
        "prompt",
        "generic",
        "unproven",
        "too",
        "orders",
    ]
)
"""First words of what the guard counts."""


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Both clocks, so that tests can bring their own. Deadlines are readings of `monotonic`."""

    now: Callable[[], datetime] = _now
    monotonic: Callable[[], float] = system_monotonic


@dataclass(slots=True)
class Trail:
    """Grows while an answer is made; `Done` carries what it holds at the end."""

    clock: Clock
    timings_ms: dict[str, float] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    counts: Counter[str] = field(default_factory=Counter)
    facts: dict[str, Any] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    used: tuple[Evidence, ...] = ()
    """Of `evidence`, what the answer rests on."""
    version_id: VersionId = field(default=VersionId(0))
    writer: str = ""
    """Who wrote last; empty for our own fixed words."""
    released: int = 0
    """Sentences that the guard let go."""
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock.monotonic()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time inside to the stage of that name."""
        began = self.clock.monotonic()
        try:
            yield
        finally:
            self.timings_ms[name] = self.timings_ms.get(name, 0.0) + self._ms_since(began)

    def mark(self, name: str) -> None:
        """Notes the time since the beginning, the first time only."""
        self.timings_ms.setdefault(name, self._ms_since(self._began))

    def count(self, name: str) -> None:
        self.counts[name] += 1

    def spend(self, usage: Usage | None) -> None:
        if usage is not None:
            self.usage = added(self.usage, usage)

    def verdicts(self) -> tuple[tuple[str, int], ...]:
        """What the guard decided, and how often."""
        held = {name: n for name, n in self.counts.items() if name.split("_")[0] in GUARDED}
        return tuple(sorted({**held, "released": self.released}.items())) if self.writer else ()

    def trace(self) -> dict[str, Any]:
        return {**self.facts, "counts": dict(self.counts)}

    def _ms_since(self, began: float) -> float:
        return round((self.clock.monotonic() - began) * 1000, 2)


def added(left: Usage, right: Usage) -> Usage:
    """Both together."""
    return Usage(
        calls=left.calls + right.calls,
        input_tokens=left.input_tokens + right.input_tokens,
        output_tokens=left.output_tokens + right.output_tokens,
        embedding_tokens=left.embedding_tokens + right.embedding_tokens,
        cost_usd=left.cost_usd + right.cost_usd,
    )
