"""Limits over a real DynamoDB wire: the stand-in that the demo uses."""

from collections.abc import Iterator
from dataclasses import dataclass

import boto3
import pytest
from moto.server import ThreadedMotoServer

from infra.local.tables import LIMITS, make_table
from magpie.adapters.dynamodb import AdmittingWhenDown, DynamoLimiter, shift_expression
from magpie.errors import DatabaseUnavailable, SettingsInvalid, TooManyQuestions

KEY = "a signing key for tests, long enough"


@dataclass
class Hands:
    """A clock that is moved by hand."""

    at: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    make_table(f"http://{host}:{port}", LIMITS)
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def limiter(address: str, clock: Hands, request: pytest.FixtureRequest) -> Iterator[DynamoLimiter]:
    made = DynamoLimiter(
        table=LIMITS.name,
        key=KEY,
        questions=10,
        window_s=60,
        now_s=clock,
        endpoint_url=address,
        scope=request.node.name,
    )
    yield made
    made.close()


async def test_ten_in_a_minute_and_no_more(limiter, clock):
    """
    The eleventh question within 60 seconds is refused with the exact wait.
    """
    for _ in range(10):
        await limiter.admit("192.0.2.1")
        clock.at += 2

    with pytest.raises(TooManyQuestions) as refused:
        await limiter.admit("192.0.2.1")

    assert refused.value.retry_after_s == 40


async def test_the_wait_that_is_told_is_enough_and_not_too_long(limiter, clock):
    """
    One second before the told wait is over a question is refused, at its end admitted.
    """
    for _ in range(10):
        await limiter.admit("192.0.2.1")
    with pytest.raises(TooManyQuestions) as refused:
        await limiter.admit("192.0.2.1")

    clock.at += refused.value.retry_after_s - 1
    with pytest.raises(TooManyQuestions):
        await limiter.admit("192.0.2.1")
    clock.at += 1
    await limiter.admit("192.0.2.1")


async def test_no_sliding_window_holds_more_than_ten(limiter, clock):
    """
    Whatever the pace, any 60 seconds hold at most ten admissions.
    """
    admitted = []
    for _ in range(120):
        try:
            await limiter.admit("192.0.2.1")
            admitted.append(clock.at)
        except TooManyQuestions:
            pass
        clock.at += 1.7

    assert len(admitted) > 20
    assert all(sum(1 for at in admitted if start <= at < start + 60) <= 10 for start in admitted)


async def test_clients_do_not_share_a_limit(limiter):
    """
    One client's questions cost no other client anything.
    """
    for _ in range(10):
        await limiter.admit("192.0.2.1")

    await limiter.admit("192.0.2.2")


async def test_no_address_is_stored(limiter, address):
    """
    The table holds a keyed hash of the address, and when the item may go.
    """
    await limiter.admit("192.0.2.77")

    client = boto3.client(
        "dynamodb",
        endpoint_url=address,
        region_name="eu-central-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    items = client.scan(TableName=LIMITS.name)["Items"]
    client.close()
    assert items
    assert all("192.0.2" not in str(item) and "expires_at" in item for item in items)


async def test_a_table_that_cant_be_reached_is_said_so(clock):
    """
    An outage is no admission: the site decides what happens then.
    """
    limiter = DynamoLimiter(
        table="t", key=KEY, questions=10, window_s=60, now_s=clock, endpoint_url="http://127.0.0.1:9"
    )

    with pytest.raises(DatabaseUnavailable, match="can't be reached"):
        await limiter.admit("192.0.2.1")


@pytest.mark.parametrize("questions", [0, 101])
def test_more_than_a_window_holds_is_refused_at_the_start(questions, clock):
    """
    A limit that one write can't keep exactly stops the start, with what to choose instead.
    """
    with pytest.raises(SettingsInvalid, match=r"limits\.questions"):
        DynamoLimiter(table="t", key=KEY, questions=questions, window_s=60, now_s=clock)


def test_the_largest_expression_fits():
    """
    An update expression has at most 4 kB.
    """
    assert len(shift_expression(100)) <= 4096


async def test_a_table_out_of_reach_is_the_sites_choice(clock):
    """
    While nobody can count, a strict site refuses and a lenient one lets its visitors in.
    """
    strict = DynamoLimiter(
        table="magpie-limits",
        key=KEY,
        questions=10,
        window_s=60,
        now_s=clock,
        endpoint_url="http://127.0.0.1:9",
    )

    await AdmittingWhenDown(strict).admit("a")
    with pytest.raises(DatabaseUnavailable):
        await strict.admit("a")
