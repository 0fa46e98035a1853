"""What models may cost: held before, settled after, never exceeded; over writes that are atomic."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from infra.local.tables import LIMITS, make_table
from magpie.adapters.dynamodb import Caps, DynamoSpending, DynamoTable
from magpie.asking.chain import ModelChain, PricedModel
from magpie.asking.front import Family
from magpie.asking.prompted import prompted_family
from magpie.asking.spending import NANO, CountedEmbedder, Price
from magpie.asking.trail import Clock
from magpie.errors import BudgetExhausted, ProviderRefused, ProviderUnavailable, SettingsInvalid
from magpie.model import Band, ChatMessage, ChatPiece, Delta, EmbeddingModel, Prompt, Started, Status, Usage
from magpie.settings import Keys, Settings
from magpie.site import load_site
from magpie.wiring import open_site, site_spending
from tests.fakes import FakeChatModel, FakeClassifier, FakePlanner, FakeWriter
from tests.loopback.dynalite_server import dynalite
from tests.loopback.losing_answers import losing_answers, once
from tests.unit.asking_site import SITE, Desk, done, only, said

JUNE_30 = 1_814_313_600.0  # the last day of June 2027, midnight UTC
HOUR = 3600
CENT = NANO // 100
PRICE = Price(usd_per_million_input=1.0, usd_per_million_output=2.0)
PROMPT = Prompt(messages=(ChatMessage(role="user", content="Wie spät?"),), max_tokens=100)
ANSWER = "We answer within one working day. [1]"


@dataclass
class Hands:
    """A clock that is moved by hand."""

    at: float = JUNE_30 + HOUR

    def __call__(self) -> float:
        return self.at


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with dynalite() as base:
        make_table(base, LIMITS, cleans_up=False)
        yield base


@pytest.fixture(scope="module")
def table(address: str) -> Iterator[DynamoTable]:
    made = DynamoTable(LIMITS.name, address)
    yield made
    made.close()


@pytest.fixture
def clock() -> Hands:
    return Hands()


@dataclass
class Purse:
    """A site's money that no other test touches; a process of its own each time it is opened."""

    table: DynamoTable
    clock: Hands
    site: str

    def opened(self, day: int | None = CENT, month: int | None = 10 * CENT, least: int = 0) -> DynamoSpending:
        caps = Caps(day=day, month=month, least=least)
        return DynamoSpending(self.table, site=self.site, caps=caps, now_s=self.clock)

    async def spent(self) -> tuple[int, int]:
        item = await self.table.get(f"spend#{self.site}#2027-06") or {}
        return int(item.get("day_30", 0)), int(item.get("month", 0))


@pytest.fixture
def purse(table: DynamoTable, clock: Hands, request: pytest.FixtureRequest) -> Purse:
    return Purse(table, clock, request.node.name)


# --- The item ---------------------------------------------------------------------------------


async def test_two_hundred_at_once_never_exceed_the_cap(purse):
    """
    Of two hundred holds at once exactly those are given that fit, and settling frees the rest for others.
    """
    spending = purse.opened(day=CENT)

    holds = await asyncio.gather(*(spending.reserve(CENT // 25) for _ in range(200)))
    given = [hold for hold in holds if hold is not None]
    full = await purse.spent()
    await asyncio.gather(*(spending.settle(hold, CENT // 100) for hold in given))
    settled = await purse.spent()

    assert (len(given), full, settled) == (25, (CENT, CENT), (CENT // 4, CENT // 4))


@pytest.mark.parametrize(
    ("lost", "spent"), [(b"- :free", 300), (b"+ :cost", 1300)], ids=["of settling", "of holding"]
)
async def test_an_answer_that_is_lost_frees_nothing_twice(address, table, clock, lost, spent):
    """
    A write that was done, and whose answer never came, may make us hold too much and never too little: what was
    settled is not settled again, a hold that nobody heard of stays held, and the visitor's call is made.
    """
    with losing_answers(address, once(lost)) as losing:
        settings = Settings(
            database_url="unused", aws_endpoint_url=losing, limits_table=LIMITS.name, usd_a_day=1.0
        )
        site = load_site(SITE.replace("key: sennit", f"key: lost{spent}"))
        spending = site_spending(settings, site, now_s=clock)

        hold = await spending.reserve(1000)
        await spending.settle(hold, 300)

    item = await table.get(f"spend#lost{spent}#2027-06")
    assert item["day_30"] == spent


async def test_day_and_month_are_checked_together(purse, clock):
    """
    A new day begins with a full purse, but for what the month has left; a new month with all of it.
    """
    spending = purse.opened(day=CENT, month=int(1.5 * CENT))
    clock.at -= 24 * HOUR

    yesterday = [await spending.reserve(CENT // 2) for _ in range(3)]
    clock.at += 24 * HOUR
    today = [await spending.reserve(CENT // 2) for _ in range(3)]
    clock.at += 24 * HOUR
    july = [await spending.reserve(CENT // 2) for _ in range(3)]

    assert [sum(hold is not None for hold in day) for day in (yesterday, today, july)] == [2, 1, 2]


async def test_what_is_settled_after_midnight_belongs_to_its_own_day(purse, clock):
    """
    A call that ends on the next day frees what it held on the day before.
    """
    spending = purse.opened()
    clock.at = JUNE_30 + 24 * HOUR - 1
    hold = await spending.reserve(CENT)
    clock.at += 2
    assert hold is not None
    await spending.settle(hold, 0)

    assert await purse.spent() == (0, 0)


@pytest.mark.parametrize(
    ("share", "band"), [(0.0, Band.FULL), (0.7499, Band.FULL), (0.75, Band.ECONOMY), (0.95, Band.EXTRACTIVE)]
)
async def test_bands_follow_what_is_spent(purse, share, band):
    """
    From three quarters of the day on cheaper models answer; where one more answer does not fit, none.
    """
    spending = purse.opened(least=CENT // 10)
    if share:
        await purse.opened().reserve(int(share * CENT))

    assert await spending.band() is band


async def test_without_a_cap_on_one_side_the_other_holds(purse):
    """
    A deployment may cap the month alone.
    """
    spending = purse.opened(day=None, month=CENT)

    given = [await spending.reserve(CENT // 2) for _ in range(3)]

    assert [hold is not None for hold in given] == [True, True, False]


async def test_a_cap_of_nothing_spends_nothing(purse):
    """
    0 is a cap like any other.
    """
    spending = purse.opened(day=0)

    assert (await spending.band(), await spending.reserve(1)) == (Band.EXTRACTIVE, None)


async def test_the_owner_is_told_once_a_day(purse, clock, caplog):
    """
    Each step down is one line of the log with figures, from whichever process sees it first; the next day anew.
    """
    caplog.set_level(logging.WARNING, logger="magpie.spending")
    processes = [purse.opened() for _ in range(7)]

    for _ in range(2):
        for process in processes:
            await process.reserve(CENT // 6)
            await process.band()
        clock.at += 24 * HOUR

    assert [record.band for record in caplog.records] == ["economy", "extractive"] * 2
    assert all(record.usd_today > 0 for record in caplog.records if record.band == "economy")


# --- One call ---------------------------------------------------------------------------------


@dataclass
class Provider:
    """A model that answers, fails or breaks off, and tells what it used or doesn't."""

    name: str = "writer"
    usage: Usage | None = field(default_factory=lambda: Usage(calls=1, input_tokens=20, output_tokens=5))
    error: ProviderUnavailable | None = None
    calls: int = 0

    async def stream(self, prompt: Prompt) -> AsyncIterator[ChatPiece]:
        self.calls += 1
        yield ChatPiece(text="Noon. ")
        if self.error is not None:
            raise self.error
        yield ChatPiece(usage=self.usage, finish_reason="stop")


async def told(chain: ModelChain, most: int = 99) -> list[ChatPiece]:
    pieces = []
    stream = chain.stream(PROMPT)
    async for piece in stream:
        pieces.append(piece)
        if len(pieces) == most:
            break
    await stream.aclose()
    return pieces


def chain_of(model: Provider, spending: DynamoSpending, price: Price = PRICE) -> ModelChain:
    return ModelChain([PricedModel(model=model, price=price, spending=spending)], Clock())


async def test_a_call_is_settled_to_what_it_cost(purse):
    """
    20 tokens in at a dollar a million and 5 out at two are 30 millionths, in the item and in what is told.
    """
    pieces = await told(chain_of(Provider(), purse.opened()))

    assert (await purse.spent())[0] == 30_000
    assert [piece.usage.cost_usd for piece in pieces if piece.usage] == [0.00003]


@pytest.mark.parametrize(
    ("provider", "most"),
    [
        (Provider(error=ProviderUnavailable("p", "was lost")), 99),
        (Provider(usage=None), 99),
        (Provider(), 1),
    ],
)
async def test_what_nobody_knows_has_cost_its_worst(purse, provider, most):
    """
    A provider that is lost, one that tells no usage, a visitor who leaves: the worst case stays spent.
    """
    with suppress(ProviderUnavailable):
        await told(chain_of(provider, purse.opened()), most)

    assert (await purse.spent())[0] == PRICE.worst(PROMPT)
    assert PRICE.worst(PROMPT) == (len("Wie spät?".encode()) + 32) * 1000 + 100 * 2000


async def test_a_call_that_was_turned_away_costs_nothing(purse):
    """
    A provider that refuses before any work is paid nothing.
    """
    provider = Provider(error=ProviderRefused("p", "401", is_free=True))

    with pytest.raises(ProviderRefused):
        await told(chain_of(provider, purse.opened()))

    assert (await purse.spent())[0] == 0


async def test_what_does_not_fit_is_not_called(purse):
    """
    Without money the provider is not asked, and its breaker holds nothing against it.
    """
    provider = Provider()
    chain = chain_of(provider, purse.opened(day=PRICE.worst(PROMPT) - 1))

    for _ in range(5):
        with pytest.raises(BudgetExhausted):
            await told(chain)

    assert provider.calls == 0


async def test_nobody_spends_what_nobody_can_count(clock):
    """
    While the table is out of reach no call is paid for.
    """
    provider = Provider()
    nowhere = DynamoTable(LIMITS.name, "http://127.0.0.1:9")
    spending = DynamoSpending(nowhere, site="s", caps=Caps(day=CENT, month=None), now_s=clock)

    with pytest.raises(BudgetExhausted):
        await told(chain_of(provider, spending))

    assert provider.calls == 0


# --- Answers ----------------------------------------------------------------------------------


@dataclass
class GovernedDesk(Desk):
    """A desk whose models cost money."""

    spending: DynamoSpending | None = None
    full: FakeChatModel = field(default_factory=lambda: FakeChatModel(answers=(ANSWER,), name="large"))
    cheap: FakeChatModel = field(default_factory=lambda: FakeChatModel(answers=(ANSWER,), name="small"))

    def _family(self, model: FakeChatModel) -> Family:
        chain = ModelChain([PricedModel(model=model, price=PRICE, spending=self.spending)], self.clock)
        return prompted_family(self.site, classifier=chain, planner=chain, writer=chain, clock=self.clock)

    def __post_init__(self) -> None:
        self.family = self._family(self.full)
        self.bands = {
            "spending": self.spending,
            "economy": self._family(self.cheap),
            "extractive": Family(
                classifier=FakeClassifier(),
                planner=FakePlanner(),
                writer=FakeWriter(name="extractive", pieces=("Quoted. [1]",)),
            ),
        }
        super().__post_init__()


async def test_two_hundred_askers_never_exceed_the_cap(purse):
    """
    Two hundred at once: what was paid stays under the cap, each gets an answer, and the last ones theirs
    without a model.
    """
    cap = 5 * CENT
    desk = GovernedDesk(spending=purse.opened(day=cap))

    answers = await asyncio.gather(*(desk.ask("How fast do you answer?", id=f"a{n}") for n in range(200)))

    told_usd = sum(done(parts).usage.cost_usd for parts in answers)
    calls = len(desk.full.prompts) + len(desk.cheap.prompts)
    assert all(said(parts).strip() for parts in answers)
    assert calls * PRICE.nano_usd(100, 20) <= (await purse.spent())[0] <= cap
    assert 0 < told_usd * NANO <= cap
    assert any("Quoted" in said(parts) for parts in answers)


async def test_bands_answer_in_their_own_way(purse):
    """
    Full, then cheaper models one after the other, then quotations; `start` tells each.
    """
    desk = GovernedDesk(spending=purse.opened(day=CENT, least=CENT // 10))
    seen = []
    for share in (0.0, 0.8, 0.15):
        if share:
            await purse.opened().reserve(int(share * CENT))
        parts = await desk.ask("How fast do you answer?")
        start = only(parts, Started)[0]
        seen.append((start.band, start.writer, len(desk.full.prompts), len(desk.cheap.prompts)))

    assert [one[:2] for one in seen] == [
        ("full", "large"),
        ("economy", "small"),
        ("extractive", "extractive"),
    ]
    assert seen[1][2] == seen[0][2]
    assert seen[2][2:] == seen[1][2:]


async def test_money_that_runs_out_on_the_way_is_no_error(purse):
    """
    Where classifying used the last of it, the answer is quoted all the same.
    """
    desk = GovernedDesk(spending=purse.opened(day=int(0.3 * CENT)))
    await purse.opened().reserve(int(0.02 * CENT))

    for _ in range(4):
        parts = await desk.ask("How fast do you answer?")

    assert said(parts).strip()
    assert only(parts, Delta)
    assert Status(state="searching") in parts
    assert (await purse.spent())[0] <= int(0.3 * CENT)


async def test_embeddings_that_cost_are_counted(purse):
    """
    A query to a paid embedding model holds its worst; without money the search must do without.
    """
    model = EmbeddingModel(provider="openai", name="small", dimension=2)

    class Embeds:
        def __init__(self) -> None:
            self.model = model

        async def embed_queries(self, texts):
            return tuple((1.0, 0.0) for _ in texts)

        embed_passages = embed_queries

    price = Price(usd_per_million_input=0.02)
    worst = price.nano_usd(len("prices") + 16, 0)
    counted = CountedEmbedder(Embeds(), price, purse.opened(day=worst))

    vectors = await counted.embed_queries(["prices"])
    with pytest.raises(BudgetExhausted):
        await counted.embed_queries(["prices"])

    assert (vectors, (await purse.spent())[0]) == (((1.0, 0.0),), worst)


# --- The start --------------------------------------------------------------------------------


async def test_a_model_without_a_price_stops_the_start():
    """
    A cap can't be kept with a model whose price nobody wrote down; without a cap nobody asks for it.
    """
    site = load_site(SITE + "models: {writer: [{model: large}]}\n")
    settings = Settings(
        database_url="postgresql://127.0.0.1:9/none",
        keys=Keys(signing="a signing key for tests, long enough", openai="key"),
        usd_a_day=1.0,
    )

    with pytest.raises(SettingsInvalid, match="no price for large"):
        async with open_site(settings, site):
            pass
