"""An ask with a key: answered once, told again to whoever asks again, in whichever process."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import uuid4

import httpx
import pytest

from functions.chat.answering import LEASE_S, MOST_KEPT_BYTES, Keeper, Said, followed
from functions.chat.app import create_app
from infra.local.tables import ASKS, make_table
from magpie.adapters.dynamodb import DynamoAsks, DynamoStops, DynamoTable
from magpie.asking.sentences import sentences
from magpie.asking.trail import Clock
from magpie.errors import CorpusInvalid, DatabaseUnavailable
from magpie.model import AnswerId
from magpie.ports import Ask, AskClaim, Batch
from magpie.settings import Settings
from magpie.site import Limits
from tests.fakes import FakeAsks, FakeWriter
from tests.loopback.dynalite_server import dynalite
from tests.loopback.losing_answers import losing_answers, once
from tests.loopback.serving import served
from tests.unit.asking_site import Desk, site

KEY = "a signing key for tests, long enough"
SETTINGS = Settings(database_url="unused", origins=("https://sennit.example",))
SENTENCES = tuple(
    f"We answer within one working day, {word}. [1] " for word in ("always", "mostly", "gladly")
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with dynalite() as base:
        make_table(base, ASKS, cleans_up=False)
        yield base


@pytest.fixture(scope="module")
def table(address: str) -> Iterator[DynamoTable]:
    made = DynamoTable(ASKS.name, address)
    yield made
    made.close()


@dataclass
class Later:
    """Unix time, moved on by hand."""

    by_s: float = 0.0

    def __call__(self) -> float:
        return time.time() + self.by_s


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def asks(table: DynamoTable, later: Later) -> DynamoAsks:
    return DynamoAsks(table, key=KEY, now_s=later)


@pytest.fixture
def stops(table: DynamoTable, later: Later) -> DynamoStops:
    return DynamoStops(table, later)


def ask(key: str = "", fingerprint: str = "f", session: str = "s") -> Ask:
    return Ask(key=key or uuid4().hex, fingerprint=fingerprint, session_id=session)


def batch(number: int, said: bytes = b'{"event": "ping"}\n', *, is_last: bool = False) -> Batch:
    return Batch(number=number, said=said, is_last=is_last, next_s=LEASE_S)


# --- The table --------------------------------------------------------------------------------


async def test_of_two_hundred_at_once_one_answers(asks):
    """
    However often the same ask comes in the same moment, exactly one process answers it.
    """
    same = ask()

    claims = await asyncio.gather(*(asks.claim(same) for _ in range(200)))

    assert sum(claim.is_ours for claim in claims) == 1
    assert len({claim.life for claim in claims}) == 1
    assert all(claim.is_same for claim in claims)


async def test_a_claim_whose_answer_is_lost_is_still_ours(address, later):
    """
    The claim was written, the connection broke, the second try finds it there: nobody else will answer.
    """
    with losing_answers(address, once(b"fingerprint")) as losing:
        claim = await DynamoAsks(DynamoTable(ASKS.name, losing), key=KEY, now_s=later).claim(ask())

    assert (claim.is_ours, claim.is_same) == (True, True)


async def test_another_question_under_the_same_key_is_seen(asks):
    """
    The fingerprint tells a repetition from a slip.
    """
    first = ask(fingerprint="one")
    await asks.claim(first)

    claim = await asks.claim(ask(key=first.key, fingerprint="two"))

    assert (claim.is_ours, claim.is_same) == (False, False)


async def test_after_ten_minutes_a_key_is_new(asks, later):
    """
    What has expired counts as gone, whether or not the table has cleaned up; the old words are not told again.
    """
    same = ask()
    old = await asks.claim(same)
    await asks.append(old, batch(0))
    later.by_s = 601

    assert await asks.find(same) is None
    new = await asks.claim(same)

    assert new.is_ours
    assert await asks.batch(new, 0) is None
    assert await asks.batch(old, 0) is None


async def test_what_is_released_may_come_again(asks):
    """
    An ask to which nothing was said is as if it had never come.
    """
    same = ask()
    await asks.release(await asks.claim(same))

    assert (await asks.claim(same)).is_ours


async def test_the_table_alone_tells_nobody_anything(asks, table):
    """
    Neither key nor session nor words stand in the table; without the visitor's own key they can't be opened.
    """
    mine = ask(key="the visitor's own key", session="Quercus")
    claim = await asks.claim(mine)
    await asks.append(claim, batch(0, b"what was said to him"))

    stored = str([await table.get(pk) for pk in await _keys(asks, claim)])
    assert (await asks.batch(claim, 0)).said == b"what was said to him"
    assert "None" not in stored
    assert not [word for word in ("visitor", "Quercus", "said to") if word in stored]


async def _keys(asks: DynamoAsks, claim: AskClaim) -> list[str]:
    return [
        asks._pk(claim.ask),
        asks._part(claim, 0),
        f"session#{asks._hash('session', claim.ask.session_id)}",
    ]


async def test_a_session_is_forgotten(asks, table):
    """
    Nothing stays of any ask of the session, and others keep theirs.
    """
    mine, others = [ask(session="forgotten") for _ in range(3)], ask(session="kept")
    claims = [await asks.claim(one) for one in (*mine, others)]
    for claim in claims:
        for number in range(4):
            await asks.append(claim, batch(number))
    keys = [key for claim in claims[:3] for key in await _keys(asks, claim)]

    forgotten = await asks.forget("forgotten")

    assert forgotten.asks == 3
    assert [await table.get(key) for key in keys] == [None] * len(keys)
    assert [await asks.batch(claim, 3) for claim in claims[:3]] == [None] * 3
    assert await asks.batch(claims[3], 3) is not None


# --- Two processes ----------------------------------------------------------------------------


@asynccontextmanager
async def processes(
    asks, stops, count: int = 2, **parts
) -> AsyncIterator[tuple[list[Desk], list[httpx.AsyncClient]]]:
    """Applications that share nothing but the table."""
    async with contextlib.AsyncExitStack() as stack:
        desks = [
            Desk(asks=asks, stops=stops, **{name: made() for name, made in parts.items()})
            for _ in range(count)
        ]
        bases = [stack.enter_context(served(create_app(desk, SETTINGS))) for desk in desks]
        clients = [
            await stack.enter_async_context(httpx.AsyncClient(base_url=base, timeout=60)) for base in bases
        ]
        yield desks, clients


def body(key: str, text: str = "How fast do you answer?", **more) -> dict:
    return {"messages": [{"role": "user", "content": text}], "idempotency_key": key, **more}


def events(response: httpx.Response) -> list[dict]:
    return [
        event for line in response.text.split("\n") if line and (event := json.loads(line))["event"] != "ping"
    ]


def slow() -> FakeWriter:
    return FakeWriter(pieces=SENTENCES, piece_s=0.5)


async def test_the_same_key_hears_the_same_and_pays_once(asks, stops):
    """
    Word for word, in the same process and in another one; the models are asked once.
    """
    async with processes(asks, stops) as (desks, clients):
        key = str(uuid4())
        first = events(await clients[0].post("/chat", json=body(key)))
        again = [
            events(await client.post("/chat", json=body(key, ticket=first[0]["ticket"])))
            for client in clients
        ]

    assert first[-1]["event"] == "done"
    assert again == [first, first]
    assert [len(desk.writer.tasks) for desk in desks] == [1, 0]
    assert [len(desk.limiter.callers) for desk in desks] == [1, 0]
    assert [len(desk.limiter.replays) for desk in desks] == [1, 1]


async def test_what_is_still_being_said_is_followed(asks, stops):
    """
    Who asks again while the answer is written hears it from its first word to its last, elsewhere.
    """
    async with processes(asks, stops, writer=slow) as (desks, clients):
        key = str(uuid4())
        async with clients[0].stream("POST", "/chat", json=body(key)) as response:
            lines = response.aiter_lines()
            heard = [json.loads(await anext(lines))]
            follower = asyncio.create_task(clients[1].post("/chat", json=body(key)))
            heard += [json.loads(line) async for line in lines]
        followed_events = events(await follower)

    assert followed_events == [event for event in heard if event["event"] != "ping"]
    assert len(desks[0].writer.tasks) + len(desks[1].writer.tasks) == 1


async def test_a_cut_connection_loses_nothing(asks, stops):
    """
    Whose connection is cut in the middle asks again and hears the whole answer; it was made once.
    """
    async with processes(asks, stops, writer=slow) as (desks, clients):
        key = str(uuid4())
        async with clients[0].stream("POST", "/chat", json=body(key)) as response:
            async for line in response.aiter_lines():
                if '"delta"' in line:
                    break
        again = events(await clients[1].post("/chat", json=body(key)))

    text = "".join(event["text"] for event in again if event["event"] == "delta")
    assert all(word in text for word in ("always", "mostly", "gladly"))
    assert again[-1]["event"] == "done"
    assert len(desks[0].writer.tasks) + len(desks[1].writer.tasks) == 1


async def test_twenty_at_once_are_one_answer(asks, stops):
    """
    The same ask from twenty tabs over two processes is one answer, heard twenty times.
    """
    async with processes(asks, stops) as (desks, clients):
        key = str(uuid4())
        responses = await asyncio.gather(*(clients[n % 2].post("/chat", json=body(key)) for n in range(20)))

    told = [events(response) for response in responses]
    assert all(one == told[0] for one in told)
    assert sum(len(desk.writer.tasks) for desk in desks) == 1


@pytest.mark.parametrize(
    "other", [{"text": "What else?"}, {"language": "de"}, {"page": {"path": "/prices/"}}]
)
async def test_another_body_under_the_same_key_is_refused(asks, stops, other):
    """
    422: a key stands for one question, its page and its language.
    """
    async with processes(asks, stops, 1) as (_, [client]):
        key = str(uuid4())
        await client.post("/chat", json=body(key))
        response = await client.post("/chat", json=body(key, **other))

    assert (response.status_code, response.json()["code"]) == (422, "key_reused")


async def test_what_failed_before_the_first_word_may_be_asked_again(asks, stops):
    """
    A refusal is not kept: the same key is answered once the database is there.
    """
    async with processes(asks, stops, 1) as ([desk], [client]):
        key = str(uuid4())
        desk.catalogue.error = CorpusInvalid("nothing yet")
        refused = await client.post("/chat", json=body(key))
        desk.catalogue.error = None
        answered = events(await client.post("/chat", json=body(key)))

    assert refused.status_code == 503
    assert answered[-1]["event"] == "done"


async def test_stop_reaches_the_process_that_answers(asks, stops):
    """
    POST /stop to another process ends the answer and its model call; who asks again hears that it was stopped.
    """
    async with processes(asks, stops, writer=lambda: FakeWriter(pieces=SENTENCES * 60, piece_s=0.05)) as (
        desks,
        clients,
    ):
        key = str(uuid4())
        heard = []
        async with clients[0].stream("POST", "/chat", json=body(key)) as response:
            async for line in response.aiter_lines():
                heard.append(json.loads(line))
                if heard[-1]["event"] == "delta" and heard[-1]["seq"] == 0:
                    stopped = await clients[1].post("/stop", json={"answer_id": heard[0]["answer_id"]})
        again = events(await clients[1].post("/chat", json=body(key)))

    assert stopped.status_code == 204
    assert (heard[-1]["event"], heard[-1]["code"]) == ("error", "stopped")
    assert again[-1] == heard[-1]
    assert desks[0].writer.closed == 1
    assert len(heard) < 100


async def test_an_answer_whose_process_died_ends_in_an_error(asks):
    """
    Nobody waits for a dead process for long, and nothing is paid again.
    """
    claim = await asks.claim(ask())
    start = json.dumps({"event": "start", "answer_id": "a"}).encode()
    await asks.append(claim, Batch(number=0, said=start, is_last=False, next_s=-10.0))

    told = [event async for event in followed(asks, claim, sentences("en"), Clock(), poll_s=0.01)]

    assert [event["event"] for event in told] == ["start", "error"]
    assert told[-1]["code"] == "interrupted"


@pytest.mark.parametrize(("when_down", "status"), [("refuse", 503), ("admit", 200)])
async def test_without_the_table_the_site_chooses(when_down, status, stops):
    """
    Where nobody can tell an ask from its repetition, a strict site refuses and a lenient one answers.
    """
    desk = Desk(
        site=site(limits=Limits(when_down=when_down)),
        asks=FakeAsks(error=DatabaseUnavailable("down")),
        stops=stops,
    )
    with served(create_app(desk, SETTINGS)) as base:
        async with httpx.AsyncClient(base_url=base) as client:
            response = await client.post("/chat", json=body(str(uuid4())))

    assert response.status_code == status


def test_a_table_that_is_lost_on_the_way_costs_only_the_replay():
    """
    The visitor hears the whole answer all the same.
    """
    asks = FakeAsks()
    with (
        served(create_app(Desk(asks=asks, writer=slow()), SETTINGS)) as base,
        httpx.Client(base_url=base) as client,
        client.stream("POST", "/chat", json=body(str(uuid4()))) as response,
    ):
        lines = response.iter_lines()
        next(lines)
        asks.error = DatabaseUnavailable("gone")
        rest = [json.loads(line) for line in lines]

    assert rest[-1]["event"] == "done"


async def test_a_stop_of_an_unknown_answer_is_no_error(stops):
    """
    It is noted for ten minutes, twice does no harm, and then it is gone.
    """
    later = Later()
    mine = DynamoStops(stops._table, later)
    await mine.stop(AnswerId("nobody"))
    await mine.stop(AnswerId("nobody"))
    before = await mine.is_stopped(AnswerId("nobody"))
    later.by_s = 601

    assert (before, await mine.is_stopped(AnswerId("nobody"))) == (True, False)


async def test_what_is_kept_is_bounded(asks):
    """
    An answer beyond all measure is heard whole by its visitor; who asks again is told that it broke off.
    """
    said = Said()
    claim = await asks.claim(ask())
    keeper = Keeper(asks, claim, said)
    said.say({"event": "start"}, *({"event": "delta", "text": "a" * 65_536} for _ in range(9)))

    await keeper.finish({"event": "done"})
    await keeper.close()
    told = [event async for event in followed(asks, claim, sentences("en"), Clock(), poll_s=0.01)]

    assert MOST_KEPT_BYTES < 9 * 65_536
    assert [event["event"] for event in told] == ["error"]
