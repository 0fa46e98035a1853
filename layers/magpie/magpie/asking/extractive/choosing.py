"""
Which sentences answer a part of a question, and how sure that is. Lexical, no model.

A unit counts for the question's words that it holds, by their rarity in the evidence; less for those
in its headings and title, least for those of its neighbours. A wanted shape (a price, a date)
that is missing counts against it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from magpie.asking.extractive.units import Unit, units_of
from magpie.asking.extractive.wants import Want
from magpie.model import Evidence
from magpie.text.stems import fold, key_words

TITLE_SHARE, SECTION_SHARE, NEIGHBOUR_SHARE = 0.55, 0.75, 0.4
RANK_WEIGHT, SHAPE_WEIGHT, SHAPELESS_WEIGHT = 0.22, 0.22, 0.30
COGNATE_LETTERS = 5
MOST_ITEMS = 12


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
    coverage: float


@dataclass(frozen=True, slots=True)
class Pool:
    """All units of the evidence, with what they hold."""

    units: tuple[tuple[Evidence, Unit], ...]
    words: Mapping[int, frozenset[str]]
    rarity: Mapping[str, float]
    languages: frozenset[str]


def pool_of(evidence: Sequence[Evidence]) -> Pool:
    """Cut and counted once an answer."""
    units = tuple((item, unit) for item in evidence for unit in units_of(item))
    words = {place: _words(unit.text, item.passage.language) for place, (item, unit) in enumerate(units)}
    counts = Counter(word for held in words.values() for word in held)
    rarity = {word: math.log(1 + len(units) / count) for word, count in counts.items()}
    return Pool(units, words, rarity, frozenset(str(item.passage.language) for item in evidence))


def score(part: str, want: Want, pool: Pool, language: str) -> tuple[Scored, ...]:
    """All units for one part of the question, best first."""
    wanted = wanted_words(part, pool, language)
    total = sum(wanted.values()) or 1.0
    scored = [_scored(place, wanted, total, want, pool) for place in range(len(pool.units))]
    return tuple(sorted(scored, key=lambda one: -one.score))


def wanted_words(part: str, pool: Pool, language: str) -> Mapping[str, float]:
    """The part's words and their weights; a word that no evidence holds weighs as the rarest."""
    unknown = max(pool.rarity.values(), default=1.0)
    words = key_words(part, language)
    if pool.languages - {language}:
        words = tuple(_cognate(word, pool) for word in words)
    return {word: pool.rarity.get(word, unknown) for word in words}


def _cognate(word: str, pool: Pool) -> str:
    """The evidence's own form of a word of another language that begins alike."""
    if word in pool.rarity or len(word) < COGNATE_LETTERS:
        return word
    start = word[:COGNATE_LETTERS]
    return next((known for known in pool.rarity if known.startswith(start)), word)


def _words(text: str, language: str) -> frozenset[str]:
    return frozenset(key_words(text, language))


def _scored(place: int, wanted: Mapping[str, float], total: float, want: Want, pool: Pool) -> Scored:
    evidence, unit = pool.units[place]
    language = evidence.passage.language
    own = pool.words[place] & wanted.keys()
    section = _words(unit.section, language) & wanted.keys() - own
    title = _words(evidence.passage.title, language) & wanted.keys() - own - section
    near = frozenset().union(*(pool.words[other] for other in _neighbours(place, pool))) & wanted.keys() - own - section - title
    weight = sum(wanted[w] for w in own) + SECTION_SHARE * sum(wanted[w] for w in section)
    weight += TITLE_SHARE * sum(wanted[w] for w in title) + NEIGHBOUR_SHARE * sum(wanted[w] for w in near)
    held = sum(wanted[w] for w in own | section | title | near)
    has_shape = want.is_met_by(unit.text)
    shape = 0.0 if not want.kind else SHAPE_WEIGHT if has_shape else -SHAPELESS_WEIGHT
    rank = RANK_WEIGHT / evidence.number**0.7
    return Scored(
        unit=unit, evidence=evidence, score=weight / total + shape + rank, coverage=held / total,
        own=sum(wanted[w] for w in own) / total, has_shape=has_shape,
    )  # fmt: skip


def _neighbours(place: int, pool: Pool) -> Iterable[int]:
    number = pool.units[place][1].number
    for other in (place - 2, place - 1, place + 1):
        if 0 <= other < len(pool.units) and pool.units[other][1].number == number:
            yield other


def choose(part: str, want: Want, pool: Pool, language: str, most: int) -> Chosen:
    """The best unit, and those beside it or elsewhere that say more of what is asked."""
    scored = score(part, want, pool, language)
    if not scored:
        return Chosen(units=(), confidence=0.0, coverage=0.0)
    best = scored[0]
    kept = [best]
    if "list" in want.also or best.unit.kind in {"item", "row"}:
        kept = _whole_list(best, scored) or kept
    wanted = wanted_words(part, pool, language)
    for other in scored[1:]:
        if len(kept) >= max(most, 1) and other.unit.kind == "sentence":
            break
        if _adds(other, kept, wanted, best):
            kept.append(other)
        if len(kept) >= most:
            break
    return Chosen(units=_in_order(kept, best), confidence=confidence(best, want, scored), coverage=best.coverage)


def _whole_list(best: Scored, scored: Sequence[Scored]) -> list[Scored]:
    """All items of the list that the best unit stands in or introduces."""
    same = [s for s in scored if s.unit.number == best.unit.number and s.unit.section == best.unit.section]
    items = [s for s in same if s.unit.kind in {"item", "row"} and abs(s.unit.block - best.unit.block) <= 1]
    if len(items) < 2:
        return []
    intro = [s for s in same if s.unit.kind == "sentence" and s.unit.place < min(i.unit.place for i in items)][-1:]
    chosen = {s.unit.place: s for s in (*intro, best, *sorted(items, key=lambda s: s.unit.place)[:MOST_ITEMS])}
    return list(chosen.values())


def _adds(other: Scored, kept: Sequence[Scored], wanted: Mapping[str, float], best: Scored) -> bool:
    if any(_alike(other.unit.text, one.unit.text) for one in kept):
        return False
    is_beside = other.unit.number == best.unit.number and abs(other.unit.place - best.unit.place) <= 2
    language = other.evidence.passage.language
    said = frozenset().union(*(_words(one.unit.text, language) for one in kept))
    new = sum(weight for word, weight in wanted.items() if word in _words(other.unit.text, language) and word not in said)
    gain = new / (sum(wanted.values()) or 1.0)
    return other.score >= 0.62 * best.score and (is_beside or gain >= 0.12 or other.score >= 0.85 * best.score)


def _alike(one: str, other: str) -> bool:
    a, b = frozenset(fold(one).split()), frozenset(fold(other).split())
    return len(a & b) >= 0.75 * min(len(a), len(b))


def _in_order(kept: Sequence[Scored], best: Scored) -> tuple[Scored, ...]:
    """The best unit's source first, then the others by rank; within one as it stands there."""
    return tuple(sorted(kept, key=lambda s: (s.unit.number != best.unit.number, s.unit.number, s.unit.place)))


def confidence(best: Scored, want: Want, scored: Sequence[Scored]) -> float:
    """How likely the best unit answers."""
    shape = 1.0 if best.has_shape else 0.45
    return min(1.0, (0.55 * best.coverage + 0.45 * best.own + 0.1 * (best.unit.number == 1)) * shape)


def whole(chosen: Chosen) -> Chosen:
    return replace(chosen)
