"""What was embedded lately is not embedded again."""

from collections.abc import Sequence

import pytest

from magpie.asking.recalling import RecallingEmbedder
from magpie.errors import ProviderUnavailable
from magpie.model import EmbeddingModel, Vector


class Lengths:
    """A text's vector is its length; remembers what it was asked, and fails while `is_down`."""

    model = EmbeddingModel(provider="local", name="lengths", dimension=1)

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.is_down = False

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        if self.is_down:
            raise ProviderUnavailable("lengths", "is down")
        self.asked.append(tuple(texts))
        return tuple((float(len(text)),) for text in texts)

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return tuple((-vector[0],) for vector in await self.embed_queries(texts))


async def test_only_what_is_new_is_embedded_each_once_and_in_order() -> None:
    """
    Vectors come in the order of the texts, whether made now or before.
    """
    inner = Lengths()
    embedder = RecallingEmbedder(inner)
    await embedder.embed_queries(["ab"])

    found = await embedder.embed_queries(["abc", "ab", "a", "abc"])

    assert found == ((3.0,), (2.0,), (1.0,), (3.0,))
    assert inner.asked == [("ab",), ("abc", "a")]


async def test_a_text_has_another_vector_as_a_passage() -> None:
    """
    Models embed questions and passages in two ways.
    """
    embedder = RecallingEmbedder(Lengths())

    assert await embedder.embed_queries(["ab"]) != await embedder.embed_passages(["ab"])


async def test_only_the_latest_are_kept() -> None:
    """
    What was used longest ago goes first, and a batch larger than the memory is whole all the same.
    """
    inner = Lengths()
    embedder = RecallingEmbedder(inner, most=2)

    assert len(await embedder.embed_queries(["a", "b", "c"])) == 3
    await embedder.embed_queries(["b"])
    await embedder.embed_queries(["d"])
    await embedder.embed_queries(["b", "c"])

    assert inner.asked == [("a", "b", "c"), ("d",), ("c",)]


async def test_a_failure_is_not_kept() -> None:
    """
    A model that is back is asked again.
    """
    inner = Lengths()
    embedder = RecallingEmbedder(inner)
    inner.is_down = True
    with pytest.raises(ProviderUnavailable):
        await embedder.embed_queries(["a"])
    inner.is_down = False

    assert await embedder.embed_queries(["a"]) == ((1.0,),)
