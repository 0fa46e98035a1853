"""The whole edge under two hundred askers at once, over writes that are atomic: everything at the same time."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
import pytest

from functions.chat.app import create_app
from infra.local.tables import TABLES, make_table
from magpie.adapters.dynamodb import Caps, DynamoSpending, DynamoTable
from magpie.asking.chain import ModelChain, PricedModel
from magpie.asking.prompted import prompted_family
from magpie.asking.spending import Price
from magpie.asking.trail import Clock
from magpie.model import ChatPiece, Prompt, Usage
from magpie.settings import Keys, Settings
from magpie.site import Limits
from magpie.wiring import asks_of, site_limiter, stops_of
from tests.loopback.dynalite_server import dynalite
from tests.loopback.serving import served
from tests.unit.asking_site import Desk, site

ASKERS = 200
PAGE = "https://sennit.example"
PRICE = Price(usd_per_million_input=1.0, usd_per_million_output=2.0)
CAP = 150_000_000  # for some fifty of the answers
NOON = 1_800_014_400.0


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with dynalite() as base:
        for table in TABLES:
            make_table(base, table, cleans_up=False)
        yield base


@dataclass
class Echo:
    """A paid model that answers in the words of the evidence, after the question's own number."""

    name: str = "echo"
    paid: list[int] = field(default_factory=list)

    async def stream(self, prompt: Prompt) -> AsyncIterator[ChatPiece]:
        usage = Usage(calls=1, input_tokens=900, output_tokens=30)
        self.paid.append(PRICE.actual(usage))
        await asyncio.sleep(0.01)
        text = "We answer within one working day. [1]"
        yield ChatPiece(text='{"intent": "rag_question"}' if prompt.json_object else text)
        yield ChatPiece(usage=usage, finish_reason="stop")


def settings_for(address: str, **more: Any) -> Settings:
    return Settings(
        database_url="unused",
        keys=Keys(signing="a signing key for tests, long enough"),
        aws_endpoint_url=address,
        origins=(PAGE,),
        trusted_hops=1,
        **more,
    )


def desk_for(settings: Settings, key: str, limits: Limits, model: Echo) -> Desk:
    base = site(limits=limits)
    named = base.model_copy(update={"site": base.site.model_copy(update={"key": key})})
    spending = DynamoSpending(
        DynamoTable(settings.limits_table, settings.aws_endpoint_url),
        site=key,
        caps=Caps(day=CAP, month=None),
        now_s=lambda: NOON,
    )
    chain = ModelChain([PricedModel(model=model, price=PRICE, spending=spending)], Clock())
    family = prompted_family(named, classifier=chain, planner=chain, writer=chain, clock=Clock())
    return Desk(
        site=named,
        family=family,
        bands={"spending": spending},
        limiter=site_limiter(settings, named, lambda: NOON),
        asks=asks_of(settings),
        stops=stops_of(settings),
    )


async def ask(
    client: httpx.AsyncClient,
    seen: str,
    forged: str = "",
    ticket: str = "",
    origin: str = PAGE,
    key: str = "",
) -> httpx.Response:
    """`seen` is what our own proxy saw; `forged` is what the client wrote before it."""
    forwarded = ", ".join(filter(None, (forged, seen)))
    body: Mapping[str, Any] = {
        "messages": [{"role": "user", "content": "How fast do you answer?"}],
        "ticket": ticket,
        "idempotency_key": key or str(uuid4()),
    }
    return await client.post("/chat", json=body, headers={"X-Forwarded-For": forwarded, "Origin": origin})


def told(response: httpx.Response) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in response.text.split("\n") if line]
    return [event for event in events if event["event"] != "ping"]


async def test_limits_money_and_streams_hold_together(address):
    """
    Two hundred askers from twenty-five addresses at once: ten from each would be let in and so all eight are; each
    stream is whole and its own; what was paid stays under the cap; whoever had no money left was answered too.
    """
    model = Echo()
    settings = settings_for(address)
    desk = desk_for(settings, "together", Limits(), model)
    limits = httpx.Limits(max_connections=ASKERS)
    with served(create_app(desk, settings)) as base:
        async with httpx.AsyncClient(base_url=base, timeout=120, limits=limits) as client:
            found = await asyncio.gather(*(ask(client, f"192.0.2.{n % 25}") for n in range(ASKERS)))

    streams = [told(response) for response in found]
    assert Counter(response.status_code for response in found) == {200: ASKERS}
    assert len({stream[0]["answer_id"] for stream in streams}) == ASKERS
    assert all([stream[0]["event"], stream[-1]["event"]] == ["start", "done"] for stream in streams)
    texts = ["".join(event["text"] for event in stream if event["event"] == "delta") for stream in streams]
    assert all(text.strip() for text in texts)
    item = await DynamoTable(settings.limits_table, address).get("spend#together#2027-01")
    assert 0 < sum(model.paid) <= item["day_15"] <= CAP
    assert any("Quoted." in text for text in texts)


@pytest.mark.parametrize("change", ["session", "header", "origin", "key", "nothing"])
async def test_nothing_that_a_client_changes_gains_anything(address, change):
    """
    Ten in sixty seconds, whatever a client sends: another ticket each time, another X-Forwarded-For, another origin,
    another key.
    """
    settings = settings_for(address)
    desk = desk_for(settings, f"gains-{change}", Limits(), Echo())
    with served(create_app(desk, settings)) as base:
        async with httpx.AsyncClient(base_url=base, timeout=60) as client:
            ticket = ""
            statuses = []
            for number in range(14):
                response = await ask(
                    client,
                    "192.0.2.1",
                    forged=f"198.51.100.{number}" if change == "header" else "",
                    ticket="" if change == "session" else ticket,
                    origin=f"https://{number}.example" if change == "origin" else PAGE,
                )
                statuses.append(response.status_code)
                if response.status_code == 200:
                    ticket = told(response)[0]["ticket"]

    assert statuses == [200] * 10 + [429] * 4


async def test_an_office_is_let_in_and_its_hammer_is_not(address):
    """
    Shared: a ticket that is thrown away each time gains five questions a minute, one that is kept ten, and the
    colleagues behind the same address are let in all the same.
    """
    settings = settings_for(address)
    desk = desk_for(settings, "office-whole", Limits(preset="shared"), Echo())
    with served(create_app(desk, settings)) as base:
        async with httpx.AsyncClient(base_url=base, timeout=60) as client:
            first = await ask(client, "192.0.2.1")
            ticket = told(first)[0]["ticket"]
            kept = [(await ask(client, "192.0.2.1", ticket=ticket)).status_code for _ in range(12)]
            thrown = [(await ask(client, "192.0.2.1")).status_code for _ in range(8)]
            colleague = (await ask(client, "192.0.2.2")).status_code

    assert Counter(kept) == {200: 9, 429: 3}
    assert Counter(thrown) == {200: 4, 429: 4}
    assert colleague == 200


async def test_refused_is_told_when_to_come_back(address):
    """
    429 with Retry-After in the header and the body, and a sentence for people.
    """
    settings = settings_for(address)
    desk = desk_for(settings, "later", Limits(questions=1), Echo())
    with served(create_app(desk, settings)) as base:
        async with httpx.AsyncClient(base_url=base, timeout=60) as client:
            await ask(client, "192.0.2.1")
            response = await ask(client, "192.0.2.1")

    assert (response.status_code, response.headers["retry-after"]) == (429, "60")
    assert response.json()["retry_after_s"] == 60
    assert "60 s" in response.json()["detail"]
