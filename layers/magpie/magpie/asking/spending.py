"""
Money for models: what a call may cost at worst, held before it is made, settled when it is known.

What becomes of a call that broke off nobody knows, so it has cost its worst. A hold that is never
settled, because its process died, is the same: it lasts until its day is over.
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from magpie.errors import BudgetExhausted, DatabaseUnavailable, ProviderUnavailable
from magpie.model import EmbeddingModel, Prompt, Usage, Vector
from magpie.ports import Embedder, Hold, Spending

NANO = 1_000_000_000
FRAMING_TOKENS = 16
"""What a provider adds around a message: role, separators. Theirs are 3 to 7."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens."""

    usd_per_million_input: float = 0.0
    usd_per_million_output: float = 0.0

    def nano_usd(self, input_tokens: int, output_tokens: int) -> int:
        """Whole billionths of a dollar, rounded up."""
        per_token = 1000  # a dollar a million is a thousand billionths each
        cost = input_tokens * self.usd_per_million_input + output_tokens * self.usd_per_million_output
        return math.ceil(cost * per_token)

    def worst(self, prompt: Prompt) -> int:
        """
        The most that a call may cost. A token of a byte-level vocabulary stands for at least one
        byte of UTF-8, so there are never more of them than bytes.
        """
        said = sum(len(message.content.encode()) + FRAMING_TOKENS for message in prompt.messages)
        return self.nano_usd(said + FRAMING_TOKENS, prompt.max_tokens)

    def actual(self, usage: Usage) -> int:
        return self.nano_usd(usage.input_tokens, usage.output_tokens)


def usd(nano: int) -> float:
    """Billionths as dollars."""
    return nano / NANO


class CountedEmbedder:
    """
    The `Embedder` port for questions to a model that costs money. Providers of embeddings tell no
    usage that our port passes on, so each call has cost its worst: a fraction of a cent.
    """

    def __init__(self, embedder: Embedder, price: Price, spending: Spending) -> None:
        self._embedder = embedder
        self._price = price
        self._spending = spending

    @property
    def model(self) -> EmbeddingModel:
        return self._embedder.model

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Raises as the embedder, and BudgetExhausted: then keywords alone must do."""
        return await self._paid(self._embedder.embed_queries, self._embedder.model.query_prefix, texts)

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Raises as `embed_queries`."""
        return await self._paid(self._embedder.embed_passages, self._embedder.model.passage_prefix, texts)

    async def _paid(
        self,
        embed: Callable[[Sequence[str]], Awaitable[tuple[Vector, ...]]],
        prefix: str,
        texts: Sequence[str],
    ) -> tuple[Vector, ...]:
        tokens = sum(len(f"{prefix}{text}".encode()) + FRAMING_TOKENS for text in texts)
        account = Account(self._spending, self._price.nano_usd(tokens, 0), self.model.name)
        await account.open()
        try:
            return await embed(texts)
        except ProviderUnavailable as exc:
            if exc.is_free:
                await account.close(0)
            raise


class Account:
    """One call's money. Without a `spending` nothing is held and nothing can be short."""

    def __init__(self, spending: Spending | None, worst: int, what: str) -> None:
        self._spending = spending
        self._worst = worst
        self._what = what
        self._hold: Hold | None = None

    async def open(self) -> None:
        """Raises: BudgetExhausted, also while nobody can tell what was spent."""
        if self._spending is None or self._worst == 0:
            return
        try:
            self._hold = await self._spending.reserve(self._worst)
        except DatabaseUnavailable as exc:
            raise BudgetExhausted(self._what, "nobody can tell what was spent today") from exc
        if self._hold is None:
            raise BudgetExhausted(self._what, "the budget for models is used up")

    async def close(self, cost: int) -> None:
        """Once; what was held and not spent is free again."""
        hold, self._hold = self._hold, None
        if hold is not None and self._spending is not None and cost != hold.nano_usd:
            await self._spending.settle(hold, cost)
