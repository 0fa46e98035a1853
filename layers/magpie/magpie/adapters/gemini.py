"""
Embeddings of Gemini.

Shorter vectors than the model's own come without length 1 and are scaled here. The SDK is
imported at the first call; its own retries are off, as in `openai_models`.

Gemini answers 429 RESOURCE_EXHAUSTED both for the pace and for the quota: the violated quota's
id tells a daily one (`...PerDay...`) from one by the minute. Without that detail, a wait that
it names (`retryDelay`) means the pace. A key that it doesn't know is answered with 400.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from magpie.adapters.openai_models import BATCH, EMBED_TIMEOUT_S, REFUSED_STATUS, TRIAL_S, checked
from magpie.adapters.refused_keys import NO_RIGHT, UNKNOWN_KEY, KeyDoor
from magpie.adapters.retry import NO_WAITS, with_retries
from magpie.errors import DeadlineExceeded, ProviderRefused, ProviderUnavailable, QuotaExhausted
from magpie.model import EmbeddingModel, Vector

if TYPE_CHECKING:
    from google.genai import Client

PROVIDER = "gemini"


class GeminiEmbedder:
    """The `Embedder` port over `batchEmbedContents`."""

    def __init__(
        self, api_key: str, model: EmbeddingModel, base_url: str = "", waits_s: Sequence[float] = NO_WAITS
    ) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._model = model
        self._waits_s = waits_s
        self._door = KeyDoor(PROVIDER, "GEMINI_API_KEY", base_url)

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return await self._embed([self._model.passage_prefix + text for text in texts], "RETRIEVAL_DOCUMENT")

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return await self._embed([self._model.query_prefix + text for text in texts], "RETRIEVAL_QUERY")

    @cached_property
    def _client(self) -> "Client":
        from google import genai
        from google.genai.types import HttpOptions

        options = HttpOptions(base_url=self._base_url or None, timeout=int(EMBED_TIMEOUT_S * 1000))
        return genai.Client(api_key=self._api_key, http_options=options)

    async def tried(self) -> None:
        """A call that costs nothing and wants a right key. Raises: ProviderUnavailable."""
        options: Any = {"timeout": int(TRIAL_S * 1000)}
        try:
            await self._client.aio.models.list(config={"page_size": 1, "http_options": options})
        except Exception as exc:  # the SDK's and the transport's errors have no common root
            raise self._translated(exc, model="") from exc

    async def close(self) -> None:
        if "_client" in self.__dict__:
            await self._client.aio.aclose()

    async def _embed(self, texts: list[str], task: str) -> tuple[Vector, ...]:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        done = [await with_retries(partial(self._batch, batch, task), self._waits_s) for batch in batches]
        return tuple(vector for batch in done for vector in batch)

    async def _batch(self, texts: list[str], task: str) -> tuple[Vector, ...]:
        try:
            answer = await self._client.aio.models.embed_content(
                model=self._model.name,
                contents=list(texts),
                config={"task_type": task, "output_dimensionality": self._model.dimension},
            )
        except Exception as exc:  # the SDK's and the transport's errors have no common root
            raise self._translated(exc, self._model.name) from exc
        rows = [embedding.values or [] for embedding in answer.embeddings or []]
        return checked(rows, len(texts), self._model)

    def _translated(self, exc: Exception, model: str) -> ProviderUnavailable:
        status = _key_status(exc)
        return self._door.refusal(status, model) if status else translated(exc)


def translated(exc: Exception) -> ProviderUnavailable:
    """The SDK's error as one of ours."""
    from google.genai.errors import APIError

    if isinstance(exc, APIError):
        return _from_status(exc.code, exc.details)
    if isinstance(exc, asyncio.TimeoutError) or "timeout" in type(exc).__name__.lower():
        return DeadlineExceeded(PROVIDER, "did not answer in time")
    return ProviderUnavailable(PROVIDER, f"could not be read ({type(exc).__name__})")


def _key_status(exc: Exception) -> int:
    """401 or 403 where the key is what is refused, else 0."""
    status, details = getattr(exc, "code", 0), _details(getattr(exc, "details", None))
    if any(detail.get("reason") == "API_KEY_INVALID" for detail in details):
        return UNKNOWN_KEY
    return status if status in (UNKNOWN_KEY, NO_RIGHT) else 0


def _from_status(status: int, body: Any) -> ProviderUnavailable:
    details = _details(body)
    if status == 429 and _is_quota(details):
        return QuotaExhausted(PROVIDER, "the quota is used up; raise it or wait for the next period")
    if status in REFUSED_STATUS:
        return ProviderRefused(PROVIDER, f"refused the call with {status}")
    return ProviderUnavailable(PROVIDER, f"answered {status}", retry_after_s=_retry_delay_s(details))


def _details(body: Any) -> list[Mapping[str, Any]]:
    error = body.get("error", body) if isinstance(body, Mapping) else {}
    details = error.get("details") if isinstance(error, Mapping) else None
    return [detail for detail in details or [] if isinstance(detail, Mapping)]


def _is_quota(details: list[Mapping[str, Any]]) -> bool:
    quotas = [
        str(violation.get("quotaId", ""))
        for detail in details
        for violation in detail.get("violations") or []
    ]
    if quotas:
        return any("PerDay" in quota or "PerMonth" in quota for quota in quotas)
    return _retry_delay_s(details) is None


def _retry_delay_s(details: list[Mapping[str, Any]]) -> float | None:
    delays = (re.fullmatch(r"(\d+(?:\.\d+)?)s", str(detail.get("retryDelay", ""))) for detail in details)
    return next((float(found.group(1)) for found in delays if found), None)
