"""
Everything of one kind: which partners there are, which roles are open, how many services.

Likeness finds some of them; the catalogue knows all. The site file says by which words a kind is meant.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import hears, holds_any, without
from magpie.model import Passage
from magpie.ports import SourceRow
from magpie.text.stems import key_words

MOST_LISTED = 12
OPENING_CHARS = 500  # a list needs the beginning of each alone


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """Certain, where the question is about the kind as such; one with a topic of its own goes on."""
    if not asked.rule.words or not holds_any(asked.rule.words, asked.text) or not _asks_for_all(asked):
        return None
    rows = in_order(asked.of_rule())
    if not rows:
        return None
    found = await reader.of_sources([row.key for row in rows[:MOST_LISTED]])
    direct = (
        f"{asked.rule.types[0]}: {len(rows)}" if hears("how_many", asked.text) and asked.rule.types else ""
    )
    passages = ranked([_opening(passage) for passage in found])
    return Routed(
        answer=asked.answer(
            passages, direct=direct, certain=asked.is_whole, reason=f"all {len(rows)} of a kind"
        )
    )


def _asks_for_all(asked: Asked) -> bool:
    """Whether nothing is left of the question but the kind and the words that ask for all of it."""
    if not (hears("lists", asked.text) or hears("how_many", asked.text)):
        return False
    left = without(asked.text, asked.rule.words, ("lists", "how_many", "having"))
    site = frozenset(key_words(f"{asked.site.site.name} {asked.site.persona.name}", asked.language))
    return not [word for word in key_words(left, asked.language) if word not in site]


def in_order(rows: Sequence[SourceRow]) -> tuple[SourceRow, ...]:
    """By the owner's rank, then the newest, then by name."""

    def order(row: SourceRow) -> tuple[int, int, str]:
        newest = -(row.published or date.min).toordinal()
        return (row.reference_rank or 10_000, newest, row.title)

    return tuple(sorted(rows, key=order))


def _opening(passage: Passage) -> Passage:
    text = passage.content
    if len(text) <= OPENING_CHARS:
        return passage
    cut = text[:OPENING_CHARS]
    return replace(passage, content=cut[: max(cut.rfind(". ") + 1, cut.rfind("\n"), 1)])
