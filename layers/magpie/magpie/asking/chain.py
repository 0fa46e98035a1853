"""
A chain of chat models: the first that works answers. A model that keeps failing rests for a while.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace

from magpie.asking.spending import Account, Price, usd
from magpie.asking.streams import flowing
from magpie.asking.trail import Clock
from magpie.errors import ProviderRefused, ProviderUnavailable, QuotaExhausted
from magpie.model import ChatPiece, Prompt, Usage
from magpie.ports import ChatModel, Spending

FAILURES_TO_REST = 3
REST_S = 30.0
LONG_REST_S = 300.0  # a refused key or a used-up quota does not mend in seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedModel:
    """A model with its price, and what may be spent on it; None: nobody counts."""

    model: ChatModel
    price: Price = field(default_factory=Price)
    spending: Spending | None = None


class Breaker:
    """Lets calls through until one thing fails too often; then not until its rest is over."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._failures = 0
        self._rests_until = 0.0

    @property
    def rest_s(self) -> float:
        """Seconds until the next call may be tried; 0 when it may be now."""
        return max(0.0, self._rests_until - self._monotonic())

    def succeeded(self) -> None:
        self._failures = 0

    def failed(self, exc: ProviderUnavailable) -> None:
        self._failures += 1
        if isinstance(exc, QuotaExhausted | ProviderRefused):
            self._rest(LONG_REST_S)
        elif exc.retry_after_s is not None:
            self._rest(exc.retry_after_s)
        elif self._failures >= FAILURES_TO_REST:
            self._rest(REST_S)

    def _rest(self, seconds: float) -> None:
        self._rests_until = max(self._rests_until, self._monotonic() + seconds)


class ModelChain:
    """The `ChatModel` port over several models."""

    def __init__(self, models: Sequence[PricedModel], clock: Clock) -> None:
        if not models:
            raise ValueError("a chain needs at least one model; name one in the site file")
        self._links = tuple((model, Breaker(clock.monotonic)) for model in models)

    @property
    def name(self) -> str:
        """The first choice's."""
        return self._links[0][0].model.name

    async def stream(self, prompt: Prompt) -> AsyncIterator[ChatPiece]:
        """
        The first working model's pieces. After its first text a model is not replaced: half an
        answer of one and half of another is none.

        Raises: what the last model raised; ProviderUnavailable with the wait when all of them rest.
        """
        failure: ProviderUnavailable | None = None
        for priced, breaker in self._links:
            if breaker.rest_s > 0:
                continue
            attempt = Attempt(priced, breaker)
            try:
                async with flowing(attempt.stream(prompt)) as pieces:
                    async for piece in pieces:
                        yield piece
            except ProviderUnavailable as exc:
                if attempt.has_spoken:
                    raise
                failure = exc
            else:
                return
        raise failure or self._all_rest()

    def _all_rest(self) -> ProviderUnavailable:
        wait_s = min(breaker.rest_s for _, breaker in self._links)
        return ProviderUnavailable(self.name, "is being left alone after failures", retry_after_s=wait_s)


class Attempt:
    """One call to one model, its outcome told to the breaker."""

    def __init__(self, priced: PricedModel, breaker: Breaker) -> None:
        self._model = priced.model
        self._price = priced.price
        self._spending = priced.spending
        self._breaker = breaker
        self.has_spoken = False

    async def stream(self, prompt: Prompt) -> AsyncIterator[ChatPiece]:
        """
        Raises: BudgetExhausted before the call is made; ProviderUnavailable.

        Whoever closes the stream early, and a call that breaks off, leave its worst cost spent.
        """
        worst = self._price.worst(prompt)
        account = Account(self._spending, worst, self._model.name)
        await account.open()
        usage: Usage | None = None
        try:
            async with flowing(self._model.stream(prompt)) as pieces:
                async for piece in pieces:
                    self.has_spoken = self.has_spoken or bool(piece.text)
                    usage = piece.usage or usage
                    yield replace(piece, usage=None, model=self._model.name)
        except ProviderUnavailable as exc:
            self._breaker.failed(exc)
            if exc.is_free:
                await account.close(0)
            raise
        self._breaker.succeeded()
        cost = worst if usage is None else self._price.actual(usage)
        await account.close(cost)
        yield ChatPiece(usage=replace(usage or Usage(calls=1), cost_usd=usd(cost)))
