"""What a route is given: one planned question, the catalogue, and a reader bound to version and viewer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from magpie.model import Passage, PlanItem, Question, RouteAnswer, SourceKey, VersionId, Viewer
from magpie.ports import Passages, SearchFilter, SearchQuery, SourceRow
from magpie.site import RouteRule, Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One plan item under one rule of the site file. `language` is that of the item's words."""

    question: Question
    item: PlanItem
    language: str
    site: Site
    rule: RouteRule
    rows: tuple[SourceRow, ...]
    today: date

    @property
    def text(self) -> str:
        return self.item.query

    @property
    def is_whole(self) -> bool:
        """Whether the item is all that the visitor asked, so that its answer may be certain."""
        return self.item.query == self.question.text

    def of_rule(self) -> tuple[SourceRow, ...]:
        """The sources that the rule names by type or one by one; all where it names none."""
        types, keys = frozenset(self.rule.types), frozenset(self.rule.sources)
        if not types and not keys:
            return self.rows
        return tuple(row for row in self.rows if row.key.source_type in types or str(row.key) in keys)

    def answer(self, passages: Iterable[Passage] = (), **fields: object) -> RouteAnswer:
        """The route's answer; its passages say which route found them."""
        route = str(fields.pop("route", self.rule.route))
        found = tuple(replace(passage, route=route) for passage in passages)
        return RouteAnswer(route=route, item=self.item, passages=found, **fields)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """`Passages` for one version and one viewer."""

    passages: Passages
    version: VersionId
    viewer: Viewer
    languages: tuple[str, ...]

    async def of_sources(self, keys: Sequence[SourceKey], *, first_only: bool = True) -> tuple[Passage, ...]:
        if not keys:
            return ()
        return await self.passages.of_sources(
            keys, version=self.version, viewer=self.viewer, first_only=first_only
        )

    async def exact(
        self, term: str, *, limit: int, narrow: SearchFilter = SearchFilter()
    ) -> tuple[Passage, ...]:
        return await self.passages.exact(
            term, version=self.version, viewer=self.viewer, limit=limit, narrow=narrow
        )

    async def keyword(
        self, words: str, *, limit: int, narrow: SearchFilter = SearchFilter()
    ) -> tuple[Passage, ...]:
        return await self.passages.keyword(
            words,
            version=self.version,
            viewer=self.viewer,
            limit=limit,
            languages=self.languages,
            narrow=narrow,
        )

    async def search(
        self, queries: Sequence[SearchQuery], *, limit: int, narrow: SearchFilter = SearchFilter()
    ) -> tuple[tuple[Passage, ...], ...]:
        if not queries:
            return ()
        return await self.passages.search(
            queries, version=self.version, viewer=self.viewer, limit=limit, narrow=narrow
        )


def ranked(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Passages of a deterministic route: the first scores 1, the others a little less each."""
    return tuple(replace(passage, score=1 - 0.01 * place) for place, passage in enumerate(passages))
