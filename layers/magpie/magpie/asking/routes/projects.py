"""Projects: the best by the owner's own rank, or those that the question names."""

import re

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.names import named_rows
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import hears, plain
from magpie.ports import SourceRow

MOST_NAMED = 3
_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "dois": 2, "duas": 2, "tres": 3, "quatro": 4, "cinco": 5,
    "dos": 2, "cuatro": 4, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "zwei": 2, "drei": 3, "vier": 4, "funf": 5,
    "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "twee": 2, "drie": 3, "vijf": 5, "hai": 2, "ba": 3, "bon": 4, "nam": 5,
}  # fmt: skip


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """Named projects lead, and the search may add; the top list stands alone."""
    rows = asked.of_rule()
    named = named_rows(rows, asked.text)
    if named:
        if hears("budget", asked.text) and _has_pricing(asked):
            return None
        passages = ranked(await reader.of_sources([row.key for row in named[:MOST_NAMED]], first_only=False))
        return Routed(
            answer=asked.answer(passages, reason=f"names {', '.join(row.title for row in named)}"), fills=True
        )
    if hears("top", asked.text) and hears("project", asked.text) and (best := by_rank(rows)):
        chosen = best[: _wanted(asked.text) or asked.rule.limit]
        passages = ranked(await reader.of_sources([row.key for row in chosen]))
        return Routed(
            answer=asked.answer(
                passages, route="projects_top", certain=asked.is_whole, reason="by reference rank"
            )
        )
    return None


def by_rank(rows: tuple[SourceRow, ...]) -> tuple[SourceRow, ...]:
    """Ranked rows, best first; unranked ones are no references."""
    known = [row for row in rows if row.reference_rank is not None]
    return tuple(sorted(known, key=lambda row: (row.reference_rank or 0, str(row.key))))


def _has_pricing(asked: Asked) -> bool:
    return any(rule.route == "pricing" for rule in asked.site.routes)


def _wanted(text: str) -> int:
    words = re.findall(r"\w+", plain(text))
    return next(
        (
            int(w) if w.isdigit() else _NUMBERS[w]
            for w in words
            if w in _NUMBERS or (w.isdigit() and 0 < int(w) <= 10)
        ),
        0,
    )
