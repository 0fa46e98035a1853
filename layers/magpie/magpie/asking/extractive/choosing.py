"""
Which sentences answer a part of a question, and how sure that is. Lexical, no model.

A unit counts for the question's words that it holds; less for those in its headings and its title,
for those of its neighbours, least for those elsewhere in its passage. A wanted shape (a price, a
date) that is missing counts against it; so does a low rank of its passage.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from magpie.asking.extractive.terms import Held, Term, coverage, folded_words, held_by, quoted_in, share_of, terms_of
from magpie.asking.extractive.units import Unit, units_of
from magpie.asking.extractive.wants import Want
from magpie.asking.routes.words import plain
from magpie.model import Evidence, SourceKey

OWN, SECTION, TITLE, NEAR, PASSAGE = 1.0, 0.8, 0.7, 0.45, 0.3
"""What a word of the question counts where the unit itself does not hold it."""
RANK_WEIGHT, SHAPE_WEIGHT, SHAPELESS_WEIGHT, QUOTE_WEIGHT = 0.25, 0.25, 0.30, 0.5
NEAR_UNITS = (-2, -1, 1)
MOST_ITEMS = 12
ALIKE = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A unit with its score; `coverage` is the share of the question that it and its place hold, 0 to 1."""

    unit: Unit
    evidence: Evidence
    score: float
    coverage: float
    own: float
    has_shape: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Units to quote, in natural order; `confidence` 0 to 1 that they answer the part."""

    units: tuple[Scored, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class Pool:
    """All units of the evidence, with what they, their headings, titles and passages hold."""

    units: tuple[tuple[Evidence, Unit], ...]
    held: tuple[Held, ...]
    sections: tuple[Held, ...]
    titles: Mapping[int, Held]
    passages: Mapping[int, Held]
    rarity: Mapping[str, float]


def pool_of(evidence: Sequence[Evidence]) -> Pool:
    """Cut and counted once an answer."""
    units = tuple((item, unit) for item in evidence for unit in units_of(item))
    held = tuple(held_by(unit.text, item.passage.language) for item, unit in units)
    counts = Counter(word for one in held for word in one.stems)
    return Pool(
        units=units,
        held=held,
        sections=tuple(held_by(unit.section, item.passage.language) for item, unit in units),
        titles={item.number: held_by(item.passage.title, item.passage.language) for item in evidence},
        passages={item.number: held_by(item.text, item.passage.language) for item in evidence},
        rarity={word: math.log(1 + len(units) / count) for word, count in counts.items()},
    )


def choose(part: str, want: Want, pool: Pool, language: str, most: int, within: SourceKey | None = None) -> Chosen:
    """
    The best unit, and those beside it or elsewhere that say more of what is asked.

    `within` holds to one source: a part that refers to another part is answered where that one was.
    """
    terms = terms_of(part, language, pool.rarity)
    scored = scores(part, terms, want, pool, language)
    scored = tuple(one for one in scored if within is None or one.evidence.passage.key == within)
    if not scored:
        return Chosen(units=(), confidence=0.0)
    best = scored[0]
    kept = (_whole_list(best, scored) if "list" in want.also else []) or [best]
    for other in scored[1:]:
        if len(kept) >= most:
            break
        if _adds(other, kept, terms, best, language):
            kept.append(other)
    return Chosen(units=_in_order(kept, best), confidence=confidence(best, want))


def scores(part: str, terms: Sequence[Term], want: Want, pool: Pool, language: str) -> tuple[Scored, ...]:
    """All units for one part of the question, best first."""
    quoted = quoted_in(part)
    found = (_scored(place, terms, quoted, want, pool, language) for place in range(len(pool.units)))
    return tuple(sorted(found, key=lambda one: -one.score))


def _scored(
    place: int, terms: Sequence[Term], quoted: Sequence[str], want: Want, pool: Pool, language: str
) -> Scored:
    evidence, unit = pool.units[place]
    is_foreign = str(evidence.passage.language) != language
    own = [OWN * share_of(term, pool.held[place], is_foreign=is_foreign) for term in terms]
    shares = [max(of_own, _around(term, place, pool, is_foreign)) for term, of_own in zip(terms, own, strict=True)]
    says_quote = QUOTE_WEIGHT if quoted and any(words in plain(unit.text) for words in quoted) else 0.0
    has_shape = want.is_met_by(unit.text) or (says_quote > 0 and any(want.is_met_by(pool.units[o][1].text) for o in _near(place, pool)))
    shape = 0.0 if not want.kind else SHAPE_WEIGHT if has_shape else -SHAPELESS_WEIGHT
    covered = coverage(terms, shares)
    return Scored(
        unit=unit,
        evidence=evidence,
        score=covered + shape + says_quote + RANK_WEIGHT / evidence.number**0.7,
        coverage=min(1.0, covered + says_quote),
        own=coverage(terms, own),
        has_shape=has_shape,
    )


def _around(term: Term, place: int, pool: Pool, is_foreign: bool) -> float:
    """What a term counts that stands in the headings, the title, beside or elsewhere in the passage."""
    number = pool.units[place][1].number
    near = max((share_of(term, pool.held[other], is_foreign=is_foreign) for other in _near(place, pool)), default=0.0)
    return max(
        SECTION * share_of(term, pool.sections[place], is_foreign=is_foreign),
        TITLE * share_of(term, pool.titles[number], is_foreign=is_foreign),
        NEAR * near,
        PASSAGE * share_of(term, pool.passages[number], is_foreign=is_foreign),
    )


def _near(place: int, pool: Pool) -> Iterable[int]:
    number = pool.units[place][1].number
    for other in (place + step for step in NEAR_UNITS):
        if 0 <= other < len(pool.units) and pool.units[other][1].number == number:
            yield other


def _whole_list(best: Scored, scored: Sequence[Scored]) -> list[Scored]:
    """All items of the list that the best unit stands in or introduces."""
    same = [s for s in scored if s.unit.number == best.unit.number and s.unit.section == best.unit.section]
    items = [s for s in same if s.unit.kind in {"item", "row"} and abs(s.unit.block - best.unit.block) <= 1]
    if len(items) < 2:
        return []
    first = min(item.unit.place for item in items)
    intro = sorted((s for s in same if s.unit.kind == "sentence" and s.unit.place < first), key=lambda s: s.unit.place)[-1:]
    chosen = {s.unit.place: s for s in (*intro, best, *sorted(items, key=lambda s: s.unit.place)[:MOST_ITEMS])}
    return list(chosen.values())


def _adds(other: Scored, kept: Sequence[Scored], terms: Sequence[Term], best: Scored, language: str) -> bool:
    """Whether a unit is worth the visitor's time beside those that are kept."""
    is_beside = other.unit.number == best.unit.number and abs(other.unit.place - best.unit.place) <= 2
    least = 0.5 if is_beside else 0.65
    if any(_alike(other.unit.text, one.unit.text) for one in kept) or other.score < least * best.score:
        return False
    return is_beside or _gain(other, kept, terms, language) >= 0.12 or other.score >= 0.88 * best.score


def _gain(other: Scored, kept: Sequence[Scored], terms: Sequence[Term], language: str) -> float:
    """The share of the question that the unit says and none of the others."""

    def shares(one: Scored) -> list[float]:
        held = held_by(one.unit.text, one.evidence.passage.language)
        return [share_of(term, held, is_foreign=str(one.evidence.passage.language) != language) for term in terms]

    said = [max(column) for column in zip(*(shares(one) for one in kept), strict=True)]
    return coverage(terms, [max(0.0, new - old) for new, old in zip(shares(other), said, strict=True)])


def _alike(one: str, other: str) -> bool:
    a, b = folded_words(one), folded_words(other)
    return len(a & b) >= ALIKE * min(len(a), len(b))


def _in_order(kept: Sequence[Scored], best: Scored) -> tuple[Scored, ...]:
    """The best unit's source first, then the others by rank; within one as it stands there."""
    return tuple(sorted(kept, key=lambda s: (s.unit.number != best.unit.number, s.unit.number, s.unit.place)))


def confidence(best: Scored, want: Want) -> float:
    """How likely the best unit answers."""
    shape = 1.0 if best.has_shape else 0.45
    lead = 0.1 if best.unit.number == 1 else 0.05 if best.unit.number == 2 else 0.0
    return min(1.0, (best.coverage + lead) * shape)
