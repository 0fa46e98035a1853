"""
Chat and embedding models over the OpenAI wire: OpenAI itself or any endpoint that speaks it.

The SDK is imported at the first call, since it costs a cold start about 0.4 s. Its own retries
are off: ours know the quota from the pace and keep to the deadline.
"""

import asyncio
import importlib
from collections.abc import AsyncIterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from magpie.adapters.refused_keys import NO_RIGHT, UNKNOWN_KEY, KeyDoor
from magpie.adapters.retry import NO_WAITS, with_retries
from magpie.errors import DeadlineExceeded, MagpieError, ProviderRefused, ProviderUnavailable, QuotaExhausted
from magpie.model import ChatPiece, EmbeddingModel, Prompt, Usage, Vector
from magpie.text.vectors import unit

if TYPE_CHECKING:
    from openai import AsyncOpenAI

QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "access_terminated"})
REFUSED_STATUS = frozenset({400, 401, 403, 404, 405, 413, 422})
TOO_MANY = 429
OPTIONAL_PARAMETERS = frozenset({"max_tokens", "temperature", "response_format", "stream_options"})
BATCH = 64  # ledger P6
EMBED_TIMEOUT_S = 30.0
TRIAL_S = 5.0


class OpenAIEndpoint:
    """A key with an address. `base_url` empty: OpenAI's own. An endpoint without keys takes any word."""

    def __init__(self, api_key: str, base_url: str = "", name: str = "openai") -> None:
        self.name = name
        self._api_key = api_key
        self._base_url = base_url
        self._door = KeyDoor(name, "OPENAI_API_KEY", base_url)

    @cached_property
    def client(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        return AsyncOpenAI(api_key=self._api_key or "none", base_url=self._base_url or None, max_retries=0)

    async def load(self) -> None:
        """Imports the SDK beside the event loop: what else the question needs goes on meanwhile."""
        if "client" not in self.__dict__:
            await asyncio.to_thread(importlib.import_module, "openai")

    async def tried(self) -> None:
        """A call that costs nothing and wants a right key. Raises: ProviderUnavailable."""
        try:
            await self.load()
            await self.client.models.list(timeout=TRIAL_S)
        except Exception as exc:  # the SDK's and the transport's errors have no common root
            raise self.translated(exc, model="") from exc

    async def close(self) -> None:
        if "client" in self.__dict__:
            await self.client.close()

    def translated(self, exc: Exception, model: str) -> ProviderUnavailable:
        """The SDK's error as one of ours. A refused key is told to the owner; unknown errors keep their name."""
        status = getattr(exc, "status_code", 0)
        if status in (UNKNOWN_KEY, NO_RIGHT) and not _is_quota(exc):
            return self._door.refusal(status, model)
        return translated(exc, self.name)


class OpenAIChat:
    """The `ChatModel` port over chat completions, streamed."""

    def __init__(self, endpoint: OpenAIEndpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model
        self._refused: set[str] = set()

    @property
    def name(self) -> str:
        return self._model

    async def stream(self, prompt: Prompt) -> AsyncIterator[ChatPiece]:
        """
        Pieces as the provider sends them; usage comes with the last one where it is told.

        Raises: QuotaExhausted, ProviderRefused, DeadlineExceeded, ProviderUnavailable; also
        after the first piece, when the provider cuts its stream.
        """
        stream = await self._open(prompt)
        finished = False
        try:
            async for event in stream:
                piece = _piece(event)
                finished = finished or piece.finish_reason is not None
                yield piece
        except MagpieError:
            raise
        except GeneratorExit:
            raise
        except Exception as exc:  # the SDK's and the transport's errors have no common root
            raise self._endpoint.translated(exc, self._model) from exc
        finally:
            await stream.close()
        if not finished:
            raise ProviderUnavailable(self._endpoint.name, "ended its stream before the answer was complete")

    async def _open(self, prompt: Prompt) -> Any:
        while True:
            try:
                await self._endpoint.load()
                create: Any = self._endpoint.client.chat.completions.create
                return await create(**self._options(prompt))
            except Exception as exc:  # as above
                if not self._learn(exc):
                    raise self._endpoint.translated(exc, self._model) from exc

    def _options(self, prompt: Prompt) -> dict[str, Any]:
        options: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
            "temperature": prompt.temperature,
            "max_tokens": prompt.max_tokens,
            "timeout": prompt.timeout_s,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if prompt.json_object:
            options["response_format"] = {"type": "json_object"}
        if "max_tokens" in self._refused:
            options["max_completion_tokens"] = prompt.max_tokens
        return {name: value for name, value in options.items() if name not in self._refused}

    def _learn(self, exc: Exception) -> bool:
        """True when the model refuses a parameter that it can do without: it is not sent again."""
        param = str(getattr(exc, "param", None) or "").split(".")[0]
        is_new = param in OPTIONAL_PARAMETERS and param not in self._refused
        if is_new and getattr(exc, "status_code", 0) == 400:
            self._refused.add(param)
            return True
        return False


class OpenAIEmbedder:
    """The `Embedder` port over the embeddings endpoint."""

    def __init__(
        self, endpoint: OpenAIEndpoint, model: EmbeddingModel, waits_s: Sequence[float] = NO_WAITS
    ) -> None:
        self._endpoint = endpoint
        self._model = model
        self._waits_s = waits_s

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return await self._embed([self._model.passage_prefix + text for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return await self._embed([self._model.query_prefix + text for text in texts])

    async def close(self) -> None:
        await self._endpoint.close()

    async def _embed(self, texts: list[str]) -> tuple[Vector, ...]:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        done = [await with_retries(partial(self._batch, batch), self._waits_s) for batch in batches]
        return tuple(vector for batch in done for vector in batch)

    async def _batch(self, texts: list[str]) -> tuple[Vector, ...]:
        try:
            answer = await self._endpoint.client.embeddings.create(
                model=self._model.name,
                input=texts,
                dimensions=self._model.dimension,
                encoding_format="float",
                timeout=EMBED_TIMEOUT_S,
            )
        except Exception as exc:  # the SDK's and the transport's errors have no common root
            raise self._endpoint.translated(exc, self._model.name) from exc
        rows = sorted(answer.data, key=lambda row: row.index)
        return checked([row.embedding for row in rows], len(texts), self._model)


def checked(rows: Sequence[Sequence[float]], expected: int, model: EmbeddingModel) -> tuple[Vector, ...]:
    """Unit vectors, or ProviderRefused when the provider gave another count or dimension."""
    if len(rows) != expected:
        raise ProviderRefused(model.provider, f"gave {len(rows)} vectors for {expected} texts")
    wrong = next((len(row) for row in rows if len(row) != model.dimension), None)
    if wrong is not None:
        raise ProviderRefused(
            model.provider, f"{model.name} gave {wrong} numbers where the site file says {model.dimension}"
        )
    return tuple(unit(row) for row in rows)


def translated(exc: Exception, provider: str) -> ProviderUnavailable:
    """The SDK's error as one of ours; unknown ones keep their class name for the log."""
    import openai

    if isinstance(exc, openai.APITimeoutError):
        return DeadlineExceeded(provider, "did not answer in time")
    if isinstance(exc, openai.APIStatusError):
        return _from_status(exc, provider)
    if isinstance(exc, openai.APIError) and exc.code in QUOTA_CODES:
        return QuotaExhausted(provider, "the quota is used up")
    return ProviderUnavailable(provider, f"could not be read ({type(exc).__name__})")


def _from_status(exc: Any, provider: str) -> ProviderUnavailable:
    if exc.status_code == 402 or _is_quota(exc):
        return QuotaExhausted(
            provider, "the quota is used up; raise it or wait for the next period", is_free=True
        )
    if exc.status_code in REFUSED_STATUS:
        reason = f"refused the call with {exc.status_code} ({exc.code or 'no code'})"
        return ProviderRefused(provider, reason, is_free=True)
    return ProviderUnavailable(
        provider,
        f"answered {exc.status_code}",
        retry_after_s=retry_after_s(exc.response.headers),
        is_free=exc.status_code == TOO_MANY,
    )


def _is_quota(exc: Any) -> bool:
    return bool({exc.code, exc.type} & QUOTA_CODES)


def retry_after_s(headers: Any) -> float | None:
    """Seconds from `retry-after-ms` or `retry-after`; None when absent or a date."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    return None


def _piece(event: Any) -> ChatPiece:
    choice = event.choices[0] if event.choices else None
    text = (choice.delta.content or "") if choice and choice.delta else ""
    return ChatPiece(text=text, usage=_usage(event), finish_reason=choice.finish_reason if choice else None)


def _usage(event: Any) -> Usage | None:
    if not event.usage:
        return None
    return Usage(calls=1, input_tokens=event.usage.prompt_tokens, output_tokens=event.usage.completion_tokens)
