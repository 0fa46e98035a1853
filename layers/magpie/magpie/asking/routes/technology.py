"""
Technologies: exact words with strict boundaries, only in sources whose scope proves anything.

`Go` is not `going`, `R` is not `R&D`. A technology that no such source holds is unconfirmed, and
says so without a model.
"""

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.names import SPELT, technologies_in
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import hears
from magpie.model import Passage
from magpie.ports import SearchFilter

MOST_TERMS = 3
MOST_PASSAGES = 8


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """Hits lead; the search adds within the same scopes. None where no technology is asked for."""
    terms = technologies_in(asked.text, asked.rule.terms)[:MOST_TERMS]
    if not terms or not hears("skill", asked.text):
        return None
    narrow = SearchFilter(source_types=frozenset(asked.rule.types), scopes=frozenset(asked.rule.scopes))
    found = [await reader.exact(term, limit=MOST_PASSAGES, narrow=narrow) for term in terms]
    missing = next((term for term, passages in zip(terms, found, strict=True) if not passages), "")
    if missing and not any(found):
        is_sure = asked.is_whole and missing not in SPELT
        return Routed(
            answer=asked.answer(
                unconfirmed=missing, certain=is_sure, reason="stands in no source that proves it"
            )
        )
    passages = ranked(_by_source(tuple(p for hits in found for p in hits)))
    return Routed(answer=asked.answer(passages[:MOST_PASSAGES], reason=f"holds {', '.join(terms)}"))


def _by_source(passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """Each chunk once; what the owner gives more weight first."""
    once = {passage.chunk_id: passage for passage in passages}
    return tuple(sorted(once.values(), key=lambda p: (-float(p.metadata.get("priority", 50)), p.chunk_id)))
