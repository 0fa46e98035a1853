"""
Prices and times of delivery.

A named project's budget comes from facts that the owner approved or from the project's own
pages, else it is not published; general prices from the FAQ and the services, by phrase; how long
something takes from first-party sources alone.
"""

import re
from collections.abc import Sequence

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.names import named_rows, names_of
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import hears, holds_any, plain
from magpie.model import Origin, Passage
from magpie.ports import SearchFilter, SourceRow
from magpie.text.stems import key_words

ENOUGH = 0.6  # of a FAQ title's words, or of the question's
MONEY = re.compile(
    r"[£€$₫¥]\s?\d|\d[\d.,\s]*(?:k|m)?\s?(?:€|£|\$|₫|đ\b|eur\b|usd\b|gbp\b|euros?\b|dollars?\b|pounds?\b|đồng|libras?|d[oó]lares)",
    re.IGNORECASE,
)


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """None unless the site's words for it, or ours for a project's budget, stand in the question."""
    named = named_rows([row for row in asked.rows if row.scope == "project"], asked.text)
    if named and hears("budget", asked.text) and not hears("duration", asked.text):
        return await _budget(asked, reader, named)
    if not holds_any(asked.rule.words, asked.text) or not (asked.rule.types or asked.rule.sources):
        return None
    found = phrased(asked.of_rule(), asked.text, asked.language)
    passages = ranked(
        await reader.of_sources([row.key for row in found[: asked.rule.limit]], first_only=False)
    )
    reason = "by phrase" if found else "by its words"
    if passages:
        return Routed(answer=asked.answer(passages, reason=reason), fills=True, narrow=_own(asked))
    return Routed(answer=asked.answer(reason=reason), fills=True)


def _own(asked: Asked) -> SearchFilter:
    return SearchFilter(source_types=frozenset(asked.rule.types))


async def _budget(asked: Asked, reader: Reader, named: Sequence[SourceRow]) -> Routed:
    own = await reader.of_sources([row.key for row in named], first_only=False)
    outside = [row.key for row in asked.rows if row.scope == "commercial"]
    approved = await reader.of_sources(outside, first_only=False)
    names = [name for row in named for name in names_of(row)]
    kept = [p for p in (*approved, *own) if tells_budget(p, names)]
    reason = "a named project's budget" if kept else "this project's budget is not published"
    return Routed(answer=asked.answer(ranked(kept), reason=reason))


def tells_budget(passage: Passage, names: Sequence[str]) -> bool:
    """Whether a line names the project and an amount; a project's own page need not name it again."""
    is_own = passage.origin is Origin.FIRST_PARTY and any(name == plain(passage.title) for name in names)
    lines = [line for line in re.split(r"\n|(?<=[.!?])\s", passage.content) if MONEY.search(line)]
    return any(
        (is_own and hears("budget", line)) or any(name in plain(line) for name in names) for line in lines
    )


def phrased(rows: Sequence[SourceRow], text: str, language: str) -> tuple[SourceRow, ...]:
    """Rows whose title or alias is said by the question, best first."""
    scored = [(_said(row, text, language), row) for row in rows]
    return tuple(row for score, row in sorted(scored, key=lambda pair: -pair[0]) if score >= ENOUGH)


def _said(row: SourceRow, text: str, language: str) -> float:
    wanted = frozenset(key_words(text, language))
    aliases = row.metadata.get("aliases")
    phrases = [row.title, *(aliases if isinstance(aliases, (list, tuple)) else [])]
    return max(
        (_likeness(frozenset(key_words(str(phrase), language)), wanted) for phrase in phrases), default=0.0
    )


def _likeness(phrase: frozenset[str], wanted: frozenset[str]) -> float:
    if not phrase or not wanted:
        return 0.0
    shared = len(phrase & wanted)
    return 2 * shared / (len(phrase) + len(wanted)) if shared > 1 or len(phrase) == 1 else 0.0
