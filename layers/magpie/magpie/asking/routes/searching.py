"""
The semantic route: one embedding batch and one statement for all questions that no rule ended.

The primary index by default. On exhausted quota the fallback model and its index, never mixed; on
any other failure keywords alone.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from magpie.asking import ranking
from magpie.asking.ranking import CALIBRATIONS, DEFAULT_CALIBRATION, Ranking
from magpie.asking.routes.asked import Asked, Reader
from magpie.errors import OtherModel, ProviderUnavailable, QuotaExhausted
from magpie.model import Passage, Vector
from magpie.ports import Embedder, SearchFilter, SearchQuery
from magpie.site import Site
from magpie.text.stems import without_stop_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """Vectors of one index, or none: then keywords alone. `notice` says why it is not the primary."""

    vectors: tuple[Vector | None, ...]
    index: str = "primary"
    model: str = ""
    identity: str = ""
    notice: str = ""


@dataclass(slots=True)
class Searcher:
    """Embeds, searches, ranks. `notices` counts what went another way than planned."""

    site: Site
    primary: Embedder | None
    fallback: Embedder | None
    notices: Counter[str] = field(default_factory=Counter)

    async def search(
        self, asked: Sequence[Asked], narrows: Sequence[SearchFilter | None], reader: Reader, today: date
    ) -> tuple[tuple[Passage, ...], ...]:
        """Ranked passages for each question, in order; questions with the same filter share a statement."""
        vectors = await self._embed([one.text for one in asked])
        try:
            return await self._searched(asked, narrows, reader, today, vectors)
        except OtherModel:
            # The index moved to another model since this process began: our vectors say nothing there.
            self.notices["other_model"] += 1
            nothing: tuple[Vector | None, ...] = (None,) * len(asked)
            alone = Vectors(vectors=nothing, notice="the index holds another model; keywords alone")
            return await self._searched(asked, narrows, reader, today, alone)

    async def _searched(
        self,
        asked: Sequence[Asked],
        narrows: Sequence[SearchFilter | None],
        reader: Reader,
        today: date,
        vectors: Vectors,
    ) -> tuple[tuple[Passage, ...], ...]:
        found: dict[int, tuple[Passage, ...]] = {}
        for narrow, places in _by_filter(narrows):
            queries = [_query(asked[place], vectors, place) for place in places]
            candidates = await reader.search(queries, limit=self.site.retrieval.candidates, narrow=narrow)
            for place, some in zip(places, candidates, strict=True):
                found[place] = await self._ranked(asked[place], some, vectors, reader, narrow, today)
        return tuple(found[place] for place in range(len(asked)))

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        nothing: tuple[Vector | None, ...] = (None,) * len(texts)
        if self.primary is None or not texts:
            return Vectors(vectors=nothing)
        try:
            vectors = await self.primary.embed_queries(texts)
            model = self.primary.model
            return Vectors(vectors=vectors, model=model.name, identity=model.identity)
        except QuotaExhausted:
            self.notices["primary_quota"] += 1
            return await self._embed_otherwise(texts, nothing)
        except ProviderUnavailable:
            self.notices["keywords_only"] += 1
            return Vectors(vectors=nothing, notice="embeddings failed; keywords alone")

    async def _embed_otherwise(self, texts: Sequence[str], nothing: tuple[Vector | None, ...]) -> Vectors:
        if self.fallback is None:
            return Vectors(vectors=nothing, notice="quota used up, no fallback; keywords alone")
        try:
            vectors = await self.fallback.embed_queries(texts)
        except ProviderUnavailable:
            self.notices["keywords_only"] += 1
            return Vectors(vectors=nothing, notice="both models failed; keywords alone")
        model = self.fallback.model
        return Vectors(
            vectors=vectors,
            index="fallback",
            model=model.name,
            identity=model.identity,
            notice="fallback index",
        )

    async def _ranked(
        self,
        asked: Asked,
        candidates: tuple[Passage, ...],
        vectors: Vectors,
        reader: Reader,
        narrow: SearchFilter,
        today: date,
    ) -> tuple[Passage, ...]:
        settings = self._ranking(vectors.model, asked, today)
        if self.site.retrieval.preset == "cosine" and vectors.model:
            threshold = settings.retrieval.threshold or settings.calibration.likely
            return ranking.cosine_preset(candidates, threshold, self.site.retrieval.top)
        if ranking.is_weak_or_sparse(candidates, settings) and self.site.retrieval.rescue:
            rescued = await reader.keyword(_words(asked), limit=self.site.retrieval.rescue, narrow=narrow)
            candidates = _united(candidates, rescued)
        return ranking.hybrid_preset(candidates, asked.text, settings)

    def _ranking(self, model: str, asked: Asked, today: date) -> Ranking:
        return Ranking(
            retrieval=self.site.retrieval,
            calibration=CALIBRATIONS.get(model, DEFAULT_CALIBRATION),
            today=today,
            languages=_languages(asked),
        )


def _query(asked: Asked, vectors: Vectors, place: int) -> SearchQuery:
    return SearchQuery(
        words=_words(asked),
        vector=vectors.vectors[place],
        index=vectors.index,
        model=vectors.identity,
        languages=_languages(asked),
    )


def _words(asked: Asked) -> str:
    """
    What keywords are searched by. Where visitor and corpus speak two languages, each drops the stop
    words of its own alone: Spanish `la` would be looked for, and found, in English pages.
    """
    languages = _languages(asked)
    return without_stop_words(asked.text, languages) if len(languages) > 1 else asked.text


def _languages(asked: Asked) -> tuple[str, ...]:
    """The corpus' first, then that of the question."""
    return tuple(dict.fromkeys((asked.site.site.corpus_language, asked.language)))


def _by_filter(narrows: Sequence[SearchFilter | None]) -> Iterable[tuple[SearchFilter, list[int]]]:
    groups: dict[SearchFilter, list[int]] = {}
    for place, narrow in enumerate(narrows):
        groups.setdefault(narrow or SearchFilter(), []).append(place)
    return groups.items()


def _united(candidates: Sequence[Passage], rescued: Sequence[Passage]) -> tuple[Passage, ...]:
    """Each chunk once; a candidate takes the keyword score that the rescue knows."""
    known = {passage.chunk_id: passage for passage in candidates}
    for passage in rescued:
        first = known.setdefault(passage.chunk_id, passage)
        if first.keyword is None:
            known[passage.chunk_id] = replace(first, keyword=passage.keyword)
    return tuple(known.values())
