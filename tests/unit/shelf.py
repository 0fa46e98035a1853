"""A small site on a shelf: plain classes for `Passages` and `Catalogue`, and a site file with every route."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from magpie.asking.routes import SiteRouter
from magpie.asking.trail import Clock
from magpie.model import (
    AnswerId,
    ChunkId,
    Language,
    Origin,
    Page,
    Passage,
    PlanItem,
    Question,
    RevisionId,
    RouteAnswer,
    Scope,
    SourceKey,
    Version,
    VersionId,
    Viewer,
    Visibility,
)
from magpie.ports import SearchFilter, SearchQuery, SourceRow
from magpie.site import Site, load_site
from tests.fakes import VERSION

SITE = """
site: {key: sennit, name: Sennit Works, url: https://sennit.example, languages: [en, pt, es]}
persona: {name: Fid, profile: "assistant:profile"}
sources:
  - {path: "*.md"}
routes:
  - {route: assistant, sources: ["assistant:profile"]}
  - {route: overview, sources: ["page:about"]}
  - {route: catalogue, types: [project], words: [projects, projetos]}
  - {route: projects, types: [project]}
  - {route: people, types: [person, cv]}
  - {route: articles, types: [article], words: [log entry, log entries]}
  - {route: pricing, types: [faq], words: [price, cost, how much, rate]}
  - {route: technology, types: [project, person, cv, page], scopes: [company, project, person]}
  - {route: forced, words: [sailing club], sources: ["page:club"]}
  - {route: links, sources: ["links:site"]}
  - {route: page, chunks: all}
  - {route: semantic}
"""


@dataclass
class Shelf:
    """Both ports over a list of passages; searching gives all that the filter lets through, by shared words."""

    passages: list[Passage] = field(default_factory=list)
    searches: int = 0

    def add(
        self, key: str, title: str, content: str, *, scope: Scope = Scope.COMPANY, **fields: object
    ) -> None:
        source_type, _, source_key = key.partition(":")
        found = [p for p in self.passages if str(p.key) == key]
        passage = Passage(
            chunk_id=ChunkId(len(self.passages) + 1),
            revision_id=RevisionId(len(self.passages) + 1),
            key=SourceKey(source_type=source_type, source_key=source_key),
            path=f"{source_type}/{source_key}.md",
            title=title,
            url=f"https://sennit.example/{source_type}/{source_key}/",
            content=content,
            index=len(found),
            origin=Origin.FIRST_PARTY,
            scope=scope,
            visibility=Visibility.PUBLIC,
            language=Language("en"),
        )
        self.passages.append(replace(passage, **fields))  # type: ignore[arg-type]

    async def search(
        self,
        queries: Sequence[SearchQuery],
        *,
        version: VersionId,
        viewer: Viewer,
        limit: int,
        narrow: SearchFilter = SearchFilter(),
    ) -> tuple[tuple[Passage, ...], ...]:
        self.searches += 1
        return tuple(self._matching(query.words, narrow)[:limit] for query in queries)

    async def keyword(
        self,
        words: str,
        *,
        version: VersionId,
        viewer: Viewer,
        limit: int,
        languages: Sequence[str],
        narrow: SearchFilter = SearchFilter(),
    ) -> tuple[Passage, ...]:
        return self._matching(words, narrow)[:limit]

    async def exact(
        self,
        term: str,
        *,
        version: VersionId,
        viewer: Viewer,
        limit: int,
        narrow: SearchFilter = SearchFilter(),
    ) -> tuple[Passage, ...]:
        whole = re.compile(rf"(?<![\w+#.]){re.escape(term)}(?![\w+#]|\.\w)")
        return tuple(p for p in self.passages if _passes(p, narrow) and whole.search(p.content))[:limit]

    async def of_sources(
        self, keys: Sequence[SourceKey], *, version: VersionId, viewer: Viewer, first_only: bool = True
    ) -> tuple[Passage, ...]:
        return tuple(
            p for key in keys for p in self.passages if p.key == key and (p.index == 0 or not first_only)
        )

    async def sources(self, *, version: VersionId, viewer: Viewer) -> tuple[SourceRow, ...]:
        return tuple(_row(passage) for passage in self.passages if passage.index == 0)

    async def active_version(self) -> Version:
        return VERSION

    def _matching(self, words: str, narrow: SearchFilter) -> tuple[Passage, ...]:
        wanted = {word for word in re.findall(r"\w+", words.casefold()) if len(word) > 3}
        scored = [
            (len(wanted & set(re.findall(r"\w+", p.content.casefold()))), p)
            for p in self.passages
            if _passes(p, narrow)
        ]
        return tuple(
            replace(p, keyword=float(score)) for score, p in sorted(scored, key=lambda s: -s[0]) if score
        )


def _passes(passage: Passage, narrow: SearchFilter) -> bool:
    return (
        (not narrow.source_types or passage.key.source_type in narrow.source_types)
        and (not narrow.scopes or passage.scope in narrow.scopes)
        and (narrow.published_from is None or (passage.published or date.min) >= narrow.published_from)
        and (narrow.published_to is None or (passage.published or date.max) <= narrow.published_to)
    )


def _row(passage: Passage) -> SourceRow:
    return SourceRow(
        key=passage.key,
        title=passage.title,
        url=passage.url,
        path=passage.path,
        scope=passage.scope,
        published=passage.published,
        person_key=passage.person_key,
        reference_rank=passage.reference_rank,
        metadata=passage.metadata,
    )


def small_site() -> Shelf:
    """Two projects, three people of whom two are called Ana, four articles, prices, links, a profile."""
    shelf = Shelf()
    shelf.add("project:tidewise", "Tidewise", "Berth booking for eleven harbours. Built in Elixir. It took 7 months.",
              scope=Scope.PROJECT, reference_rank=1)  # fmt: skip
    shelf.add(
        "project:kelpie",
        "Kelpie",
        "Temperature alarms for fridges. Stack: C++, R.",
        scope=Scope.PROJECT,
        reference_rank=2,
    )
    shelf.add(
        "person:ana-luz",
        "Ana Luz",
        "Ana Luz heads the Porto office. Skills: Go.",
        scope=Scope.PERSON,
        person_key="ana-luz",
    )
    shelf.add(
        "person:ana-berg", "Ana Berg", "Ana Berg designs forms.", scope=Scope.PERSON, person_key="ana-berg"
    )
    shelf.add(
        "person:callum-reddoch",
        "Callum Reddoch",
        "Callum Reddoch plans releases.",
        scope=Scope.PERSON,
        person_key="callum",
    )
    shelf.add(
        "cv:callum", "Callum's CV", "Stage manager for nine years.", scope=Scope.PERSON, person_key="callum"
    )
    for number, (day, title) in enumerate(
        (
            (date(2023, 5, 2), "Queues"),
            (date(2024, 1, 9), "Reading Rust"),
            (date(2024, 12, 5), "Defaults"),
            (date(2024, 12, 10), "Tides"),
        )
    ):
        shelf.add(f"article:{number}", title, f"{title}: we think that Rust is a fine language. We are going on.",
                  scope=Scope.ARTICLE, published=day, metadata={"authors": ["rasmus-ohl"]})  # fmt: skip
    shelf.add("faq:day-rates", "What are your day rates?", "£720 a day for an engineer.")
    shelf.add("vendor:profile", "Outside profile", "The budget of Tidewise was £420,000.",
              scope=Scope.COMMERCIAL, origin=Origin.TRUSTED_EXTERNAL)  # fmt: skip
    shelf.add(
        "links:site",
        "Contact and links",
        "Phone: +44 1632 960417. E-mail: hello@sennit.example",
        scope=Scope.LINKS,
    )
    shelf.add("assistant:profile", "About Fid", "Fid is a drawn otter.", scope=Scope.ASSISTANT)
    shelf.add("page:club", "The club", "The sailing club meets on Fridays.")
    shelf.add("page:about", "About us", "We work with Go and .NET, and with Node.js where it helps.")
    return shelf


def router_of(shelf: Shelf, site: Site | None = None) -> SiteRouter:
    """The router without a model: keywords alone."""
    clock = Clock(now=lambda: datetime(2026, 11, 30, tzinfo=UTC))
    return SiteRouter(site or load_site(SITE), shelf, shelf, None, None, clock)


async def routed(text: str, shelf: Shelf | None = None, page: str = "") -> RouteAnswer:
    """How one question is answered by the small site."""
    shelf = shelf or small_site()
    question = Question(
        id=AnswerId("a"), text=text, viewer=Viewer(), deadline=1e9, page=Page(path=page) if page else None
    )
    (answer,) = await router_of(shelf).answer(question, (PlanItem(query=text),), VERSION)
    return answer


def keys(answer: RouteAnswer) -> list[str]:
    """The sources of an answer's passages, each once, in order."""
    return list(dict.fromkeys(str(passage.key) for passage in answer.passages))
