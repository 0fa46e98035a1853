"""
Plan items to passages: each by the first rule of the site file that matches it.

Routes that are sure of themselves end there. The others lead, and one search for all of them
fills up what they found.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from magpie.asking.parts import parts_of
from magpie.asking.routes import (
    articles,
    assistant,
    catalogue,
    forced,
    links,
    overview,
    page,
    people,
    pricing,
    projects,
    technology,
)
from magpie.asking.routes.asked import Asked, Reader
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.searching import Searcher
from magpie.asking.routes.unknown import unknown_name
from magpie.asking.trail import Clock
from magpie.model import Passage, PlanItem, Question, RouteAnswer, Version
from magpie.ports import Catalogue, Embedder, Passages, SearchFilter, SourceRow
from magpie.site import RouteRule, Site
from magpie.text.language import detect

Route = Callable[[Asked, Reader], Awaitable[Routed | None]]

ROUTES: dict[str, Route] = {
    "assistant": assistant.answer,
    "overview": overview.answer,
    "catalogue": catalogue.answer,
    "projects": projects.answer,
    "people": people.answer,
    "articles": articles.answer,
    "pricing": pricing.answer,
    "technology": technology.answer,
    "links": links.answer,
    "page": page.answer,
    "forced": forced.answer,
}
TOPIC = "articles_topic"
SEMANTIC = RouteRule(route="semantic")
COVERING = frozenset({"articles", "assistant", "page"})
"""Routes that may answer a question of two parts whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """An answer that the search still fills."""

    place: int
    asked: Asked
    lead: tuple[Passage, ...]
    narrow: SearchFilter | None
    route: str
    reason: str


class SiteRouter:
    """The `Router` of one site. Safe for concurrent questions; holds nothing between them."""

    def __init__(
        self,
        site: Site,
        catalogue: Catalogue,
        passages: Passages,
        primary: Embedder | None,
        fallback: Embedder | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._site = site
        self._passages = passages
        self._catalogue = catalogue
        self._searcher = Searcher(site=site, primary=primary, fallback=fallback)
        self._clock = clock or Clock()

    @property
    def notices(self) -> dict[str, int]:
        """How often a search had to do without the primary index."""
        return dict(self._searcher.notices)

    async def answer(
        self, question: Question, items: Sequence[PlanItem], version: Version
    ) -> tuple[RouteAnswer, ...]:
        """See `magpie.ports.Router`."""
        rows = await self._catalogue.sources(version=version.id, viewer=question.viewer)
        language = detect(question.text) or question.preferred_language or self._site.site.corpus_language
        reader = self._reader(question, version, language)
        asked = [self._asked(question, item, rows, detect(item.query) or language) for item in items]
        routed = await asyncio.gather(*(self._routed(one, reader) for one in asked))
        answers: dict[int, RouteAnswer] = {}
        waiting: list[_Open] = []
        for place, (one, (ended, besides)) in enumerate(zip(asked, routed, strict=True)):
            if ended is not None and not ended.fills:
                answers[place] = _with_besides(ended.answer, besides)
            else:
                waiting.append(_open(place, one, ended, besides))
        answers |= await self._filled(waiting, reader)
        return tuple(answers[place] for place in range(len(items)))

    def _reader(self, question: Question, version: Version, language: str) -> Reader:
        languages = tuple(dict.fromkeys((self._site.site.corpus_language, language)))
        return Reader(
            passages=self._passages, version=version.id, viewer=question.viewer, languages=languages
        )

    def _asked(self, question: Question, item: PlanItem, rows: tuple[SourceRow, ...], language: str) -> Asked:
        return Asked(
            question=question,
            item=item,
            language=language,
            site=self._site,
            rule=SEMANTIC,
            rows=rows,
            today=self._clock.now().date(),
        )

    async def _routed(self, asked: Asked, reader: Reader) -> tuple[Routed | None, tuple[Passage, ...]]:
        """The first route that matches, and what routes before it only add."""
        is_compound = len(parts_of(asked.text)) > 1
        besides: tuple[Passage, ...] = ()
        ended: Routed | None = None
        for rule in self._in_turn(asked):
            # The open page adds to any answer, wherever its rule stands.
            if (ended is not None and rule.route != "page") or (is_compound and rule.route not in COVERING):
                continue
            found = await ROUTES[rule.route](replace(asked, rule=rule), reader)
            if found is not None and found.goes_on:
                besides += found.answer.passages
            elif found is not None and ended is None:
                ended = found
        return ended, besides

    def _deterministic(self) -> Sequence[RouteRule]:
        """The rules before the one that says `semantic`, in the order of the site file."""
        rules = self._site.routes
        end = next((place for place, rule in enumerate(rules) if rule.route == "semantic"), len(rules))
        return rules[:end]

    def _in_turn(self, asked: Asked) -> Sequence[RouteRule]:
        """As they stand; a question that points at the open page tries that first: nothing is said more plainly."""
        rules = self._deterministic()
        if not page.points(asked):
            return rules
        return sorted(rules, key=lambda rule: rule.route != "page")

    async def _filled(self, waiting: Sequence[_Open], reader: Reader) -> dict[int, RouteAnswer]:
        if not waiting:
            return {}
        narrows = [one.narrow for one in waiting]
        found, unknown = await asyncio.gather(
            self._searcher.search([one.asked for one in waiting], narrows, reader, self._clock.now().date()),
            asyncio.gather(*(unknown_name(one.asked, reader) for one in waiting)),
        )
        begun = await asyncio.gather(*(self._with_beginning(passages, reader) for passages in found))
        return {
            one.place: _answer(one, passages, name)
            for one, passages, name in zip(waiting, begun, unknown, strict=True)
        }

    async def _with_beginning(self, found: tuple[Passage, ...], reader: Reader) -> tuple[Passage, ...]:
        """The first chunk of the best source too: a page says at its beginning what it is about."""
        if not found or any(passage.key == found[0].key and passage.index == 0 for passage in found):
            return found
        first = await reader.of_sources([found[0].key])
        return (
            *found,
            *(replace(passage, score=found[-1].score, semantic=found[0].semantic) for passage in first),
        )


def _open(place: int, asked: Asked, ended: Routed | None, besides: tuple[Passage, ...]) -> _Open:
    lead = ended.answer.passages if ended else ()
    return _Open(
        place=place,
        asked=asked,
        lead=(*lead, *besides),
        narrow=ended.narrow if ended else None,
        route=ended.answer.route if ended else "semantic",
        reason=ended.answer.reason if ended else "no rule matched",
    )


def _with_besides(answer: RouteAnswer, besides: tuple[Passage, ...]) -> RouteAnswer:
    return replace(answer, passages=_each_once((*answer.passages, *besides))) if besides else answer


def _answer(one: _Open, found: tuple[Passage, ...], unknown: str) -> RouteAnswer:
    if unknown:
        return one.asked.answer(
            route=one.route, unconfirmed=unknown, reason="the corpus never says a name of the question"
        )
    if one.route == TOPIC:
        found = tuple(replace(passage, route=TOPIC) for passage in found)
    passages = _each_once((*one.lead, *found))
    return RouteAnswer(route=one.route, item=one.asked.item, passages=passages, reason=one.reason)


def _each_once(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    return tuple({passage.chunk_id: passage for passage in reversed(passages)}.values())[::-1]
