"""Which index a question is searched in, where a model of embeddings fails."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from magpie.adapters.local_models import slices
from magpie.asking.routes import SiteRouter
from magpie.asking.trail import Clock
from magpie.errors import OtherModel, ProviderUnavailable, QuotaExhausted
from magpie.model import AnswerId, EmbeddingModel, Passage, PlanItem, Question, Vector, Viewer
from magpie.ports import SearchQuery
from magpie.site import load_site
from tests.unit.shelf import SITE, VERSION, Shelf, small_site

USED_UP = QuotaExhausted("primary", "the quota is used up")
DOWN = ProviderUnavailable("primary", "is down")


@dataclass(frozen=True)
class Model:
    """Gives one vector for all, or fails."""

    name: str
    failure: ProviderUnavailable | None = None

    @property
    def model(self) -> EmbeddingModel:
        return EmbeddingModel(provider="test", name=self.name, dimension=2)

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        if self.failure:
            raise self.failure
        return tuple((1.0, 0.0) for _ in texts)

    embed_passages = embed_queries


@dataclass
class Asked(Shelf):
    """A shelf that keeps the queries; `moved` while its index holds another model."""

    queries: list[SearchQuery] = field(default_factory=list)
    moved: bool = False

    async def search(
        self, queries: Sequence[SearchQuery], **fields: object
    ) -> tuple[tuple[Passage, ...], ...]:
        self.queries.extend(queries)
        if self.moved and any(query.vector for query in queries):
            raise OtherModel("the index holds another model")
        return await super().search(queries, **fields)  # type: ignore[arg-type]


async def searched(
    primary: Model, fallback: Model | None, *, moved: bool = False
) -> tuple[Asked, dict[str, int]]:
    shelf = Asked(passages=small_site().passages, moved=moved)
    clock = Clock(now=lambda: datetime(2026, 11, 30, tzinfo=UTC))
    router = SiteRouter(load_site(SITE), shelf, shelf, primary, fallback, clock)
    question = Question(
        id=AnswerId("a"), text="On which days does the sailing club meet?", viewer=Viewer(), deadline=1e9
    )

    (answer,) = await router.answer(question, (PlanItem(query=question.text),), VERSION)

    assert any("Fridays" in passage.content for passage in answer.passages)
    return shelf, router.notices


@pytest.mark.parametrize(
    ("primary", "fallback", "index", "has_vector", "notices"),
    [
        (Model("one"), Model("two"), "primary", True, {}),
        (Model("one", USED_UP), Model("two"), "fallback", True, {"primary_quota": 1}),
        (Model("one", USED_UP), None, "primary", False, {"primary_quota": 1}),
        (
            Model("one", USED_UP),
            Model("two", DOWN),
            "primary",
            False,
            {"primary_quota": 1, "keywords_only": 1},
        ),
        (Model("one", DOWN), Model("two"), "primary", False, {"keywords_only": 1}),
    ],
    ids=["well", "used-up", "used-up-alone", "both-fail", "down"],
)
async def test_a_model_that_fails_leaves_the_fallback_or_the_words(
    primary: Model, fallback: Model | None, index: str, has_vector: bool, notices: dict[str, int]
) -> None:
    """
    A used up quota moves to the other index, never mixed; any other failure to words alone. Each is counted.
    """
    shelf, counted = await searched(primary, fallback)

    assert {(query.index, query.vector is not None) for query in shelf.queries} == {(index, has_vector)}
    assert counted == notices


async def test_an_index_that_moved_to_another_model_is_searched_by_words() -> None:
    """
    Vectors of one model say nothing in an index of another.
    """
    shelf, counted = await searched(Model("one"), None, moved=True)

    assert [query.vector is not None for query in shelf.queries] == [True, False]
    assert counted == {"other_model": 1}


def test_short_texts_go_to_a_local_model_together_and_long_ones_apart() -> None:
    """
    In order and none lost; a question that comes meanwhile waits for so many characters at most.
    """
    texts = ["a" * 10, "b" * 10, "c" * 25, "d" * 40, "e"]

    assert slices(texts, most_chars=30) == [("a" * 10, "b" * 10), ("c" * 25,), ("d" * 40,), ("e",)]
    assert slices([]) == []
