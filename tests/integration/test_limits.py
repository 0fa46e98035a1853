"""Limits over a real DynamoDB wire whose conditional writes are atomic."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import boto3
import pytest

from infra.local.tables import LIMITS, make_table
from magpie.adapters.dynamodb import AdmittingWhenDown, DynamoTable, SlidingWindow, shift_expression
from magpie.adapters.rotating import PERIOD_S, RotatingKeys
from magpie.errors import SettingsInvalid, TableUnavailable, TooManyQuestions
from magpie.ports import Caller
from magpie.settings import Keys, Settings
from magpie.site import Limits
from magpie.wiring import site_limiter
from tests.loopback.dynalite_server import dynalite
from tests.unit.asking_site import site

KEY = "a signing key for tests, long enough"
NEXT_KEY = "another signing key for tests, long enough"
NOON = 1_800_014_400.0  # noon, UTC: no key changes within the hour
assert NOON % PERIOD_S == PERIOD_S / 2
NOWHERE = "http://127.0.0.1:9"


@dataclass
class Hands:
    """A clock that is moved by hand."""

    at: float = NOON

    def __call__(self) -> float:
        return self.at


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with dynalite() as base:
        make_table(base, LIMITS, cleans_up=False)
        yield base


@pytest.fixture
def table(address: str) -> Iterator[DynamoTable]:
    made = DynamoTable(LIMITS.name, address)
    yield made
    made.close()


@pytest.fixture
def clock() -> Hands:
    return Hands()


@dataclass(frozen=True)
class Windows:
    """Makes limits that no other test shares."""

    table: DynamoTable
    clock: Hands
    scope: str

    def window(self, keys: RotatingKeys | None = None, questions: int = 10) -> SlidingWindow:
        return SlidingWindow(
            self.table,
            keys or RotatingKeys(KEY),
            questions=questions,
            window_s=60,
            now_s=self.clock,
            scope=self.scope,
        )


@pytest.fixture
def windows(table: DynamoTable, clock: Hands, request: pytest.FixtureRequest) -> Windows:
    return Windows(table, clock, request.node.name)


@pytest.fixture
def window(windows: Windows) -> SlidingWindow:
    return windows.window()


async def admitted(window: SlidingWindow, whom: str = "192.0.2.1") -> bool:
    try:
        await window.admit(whom)
    except TooManyQuestions:
        return False
    return True


# --- One window -------------------------------------------------------------------------------


async def test_ten_in_a_minute_and_no_more(window, clock):
    """
    The eleventh question within 60 seconds is refused with the exact wait.
    """
    for _ in range(10):
        await window.admit("192.0.2.1")
        clock.at += 2

    with pytest.raises(TooManyQuestions) as refused:
        await window.admit("192.0.2.1")

    assert refused.value.retry_after_s == 40


async def test_the_wait_that_is_told_is_enough_and_not_too_long(window, clock):
    """
    One second before the told wait is over a question is refused, at its end admitted.
    """
    for _ in range(10):
        await window.admit("192.0.2.1")
    with pytest.raises(TooManyQuestions) as refused:
        await window.admit("192.0.2.1")

    clock.at += refused.value.retry_after_s - 1
    early = await admitted(window)
    clock.at += 1
    in_time = await admitted(window)

    assert (early, in_time) == (False, True)


async def test_no_sliding_window_holds_more_than_ten(window, clock):
    """
    Whatever the pace, any 60 seconds hold at most ten admissions.
    """
    at = []
    for _ in range(120):
        if await admitted(window):
            at.append(clock.at)
        clock.at += 1.7

    assert len(at) > 20
    assert all(sum(1 for one in at if start <= one < start + 60) <= 10 for start in at)


async def test_two_hundred_at_once_are_ten(window, clock):
    """
    However many ask in the same moment, exactly ten are admitted, and ten more a minute later.
    """
    first = await asyncio.gather(*(admitted(window) for _ in range(200)))
    clock.at += 60
    second = await asyncio.gather(*(admitted(window) for _ in range(200)))

    assert (sum(first), sum(second)) == (10, 10)


async def test_clocks_that_differ_gain_nothing(windows):
    """
    Processes whose clocks are some seconds apart still admit at most ten in any 60 seconds, as the
    table has them noted.
    """
    hands = [Hands(NOON + skew) for skew in (0, 3, -2, 1.5)]
    processes = [replace(windows, clock=one).window() for one in hands]
    stamps: list[int] = []
    for _ in range(20):
        let_in = await asyncio.gather(*(admitted(process) for process in processes for _ in range(3)))
        stamps += await _newest(windows, sum(let_in))
        for one in hands:
            one.at += 4.1

    assert len(stamps) > 15
    assert all(sum(1 for one in stamps if start <= one < start + 60_000) <= 10 for start in stamps)


async def _newest(windows: Windows, count: int) -> list[int]:
    """The stamps of the last admissions."""
    key = RotatingKeys(KEY).current(NOON)
    item = await windows.table.get(f"limit#{windows.scope}#{RotatingKeys.hashed(key, '192.0.2.1')}")
    return [int((item or {})[f"t{n}"]) for n in range(count)]


async def test_clients_do_not_share_a_limit(window):
    """
    One client's questions cost no other client anything.
    """
    for _ in range(10):
        await window.admit("192.0.2.1")

    assert await admitted(window, "192.0.2.2")


@pytest.mark.parametrize("questions", [1, 2, 100])
async def test_the_smallest_and_the_largest_limit_hold(windows, questions):
    """
    From one question to a hundred in the window.
    """
    window = windows.window(questions=questions)

    let_in = [await admitted(window) for _ in range(questions + 1)]

    assert let_in == [True] * questions + [False]


@pytest.mark.parametrize("questions", [0, 101])
def test_more_than_a_window_holds_is_refused_at_the_start(windows, questions):
    """
    A limit that one write can't keep exactly stops the start, with what to choose instead.
    """
    with pytest.raises(SettingsInvalid, match=r"limits\.questions"):
        windows.window(questions=questions)


def test_the_largest_expression_fits():
    """
    An update expression has at most 4 kB.
    """
    assert len(shift_expression(100)) <= 4096


# --- What is stored ---------------------------------------------------------------------------


async def test_no_address_is_stored(window, address):
    """
    The table holds a keyed hash of the address, and when the item may go.
    """
    await window.admit("192.0.2.77")

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


async def test_a_limit_holds_over_the_change_of_its_key(window, clock):
    """
    The hash's key changes at midnight; what was asked just before still counts, to the second.
    """
    clock.at = NOON + PERIOD_S / 2 - 10
    before = [await admitted(window) for _ in range(6)]
    clock.at += 20
    after = [await admitted(window) for _ in range(6)]
    with pytest.raises(TooManyQuestions) as refused:
        await window.admit("192.0.2.1")
    clock.at += 40
    later = [await admitted(window) for _ in range(7)]

    assert (sum(before), sum(after), refused.value.retry_after_s, sum(later)) == (6, 4, 40, 6)


async def test_a_limit_holds_over_the_change_of_the_deployments_key(windows):
    """
    With the previous key told, a new signing key gives nobody ten questions more.
    """
    old = windows.window()
    new = windows.window(RotatingKeys(NEXT_KEY, KEY))
    before = [await admitted(old) for _ in range(7)]
    after = [await admitted(new) for _ in range(7)]

    assert (sum(before), sum(after)) == (7, 3)


def test_hashes_of_two_days_cant_be_linked():
    """
    The same address has another hash each day, and under each deployment's key.
    """
    keys = RotatingKeys(KEY)
    drawn = {keys.current(NOON), keys.current(NOON + PERIOD_S), RotatingKeys(NEXT_KEY).current(NOON)}

    assert len({RotatingKeys.hashed(key, "192.0.2.1") for key in drawn}) == 3


# --- A site's limits --------------------------------------------------------------------------


@dataclass
class Door:
    """A site's limits, as wired."""

    address: str
    clock: Hands
    limits: Limits
    key: str
    questions_a_day: int = 5000

    def __post_init__(self) -> None:
        base = site(limits=self.limits)
        named = base.model_copy(update={"site": base.site.model_copy(update={"key": self.key})})
        settings = Settings(
            database_url="unused",
            keys=Keys(signing=KEY),
            aws_endpoint_url=self.address,
            questions_a_day=self.questions_a_day,
        )
        self.limiter = site_limiter(settings, named, self.clock)

    async def lets_in(self, address: str, session: str, is_new: bool = False) -> bool:
        try:
            await self.limiter.admit(Caller(address=address, session_id=session, is_new=is_new))
        except TooManyQuestions:
            return False
        return True


async def test_another_session_gains_nothing(address, clock):
    """
    By address, whoever brings a new ticket each time is still the same client.
    """
    door = Door(address, clock, Limits(), "by-address")

    let_in = [await door.lets_in("192.0.2.1", f"session {n}", is_new=True) for n in range(30)]

    assert (let_in[:10], sum(let_in)) == ([True] * 10, 10)


async def test_an_office_shares_an_address(address, clock):
    """
    Shared: ten questions by ticket, sixty by address; who is over his own ten takes nothing from the others.
    """
    door = Door(address, clock, Limits(preset="shared"), "office")

    one = sum([await door.lets_in("192.0.2.1", "one") for _ in range(40)])
    others = sum([await door.lets_in("192.0.2.1", f"other {n % 6}") for n in range(60)])

    assert (one, others) == (10, 50)


async def test_new_tickets_are_few(address, clock):
    """
    Shared: five new tickets by address in a minute, so throwing the ticket away gains nothing.
    """
    door = Door(address, clock, Limits(preset="shared"), "tickets")

    fresh = [await door.lets_in("192.0.2.1", f"fresh {n}", is_new=True) for n in range(20)]
    elsewhere = await door.lets_in("192.0.2.2", "elsewhere", is_new=True)

    assert (sum(fresh), elsewhere) == (5, True)


async def test_a_sites_day_has_a_ceiling(address, clock):
    """
    Of two hundred askers from two hundred addresses no more than the ceiling get in; the next day begins anew.
    """
    door = Door(address, clock, Limits(), "day", questions_a_day=25)

    today = await asyncio.gather(*(door.lets_in(f"192.0.2.{n}", f"s{n}") for n in range(200)))
    with pytest.raises(TooManyQuestions) as refused:
        await door.limiter.admit(Caller(address="198.51.100.1", session_id="late"))
    clock.at += refused.value.retry_after_s
    tomorrow = await door.lets_in("198.51.100.1", "late")

    assert (sum(today), refused.value.retry_after_s, tomorrow) == (25, PERIOD_S // 2, True)


async def test_replays_have_a_limit_of_their_own(address, clock):
    """
    Asking for the same answer again costs no question, and can't be done without end either.
    """
    door = Door(address, clock, Limits(by_address=5), "replays")
    caller = Caller(address="192.0.2.1", session_id="one")

    for _ in range(5):
        await door.limiter.admit_again(caller)
    with pytest.raises(TooManyQuestions):
        await door.limiter.admit_again(caller)

    assert await door.lets_in("192.0.2.1", "one")


# --- Out of reach -----------------------------------------------------------------------------


@pytest.mark.parametrize("when_down", ["refuse", "admit"])
async def test_a_table_out_of_reach_is_the_sites_choice(clock, when_down):
    """
    While nobody can count, a strict site refuses and a lenient one lets its visitors in.
    """
    door = Door(NOWHERE, clock, Limits(when_down=when_down), "down")

    if when_down == "admit":
        assert isinstance(door.limiter, AdmittingWhenDown)
        assert await door.lets_in("192.0.2.1", "one")
    else:
        with pytest.raises(TableUnavailable, match="can't be reached"):
            await door.lets_in("192.0.2.1", "one")


def test_the_package_is_pinned():
    """
    The stand-in's version is exact, and no lock file with addresses lies beside it.
    """
    folder = Path(__file__).parents[1] / "loopback" / "dynalite"

    assert '"dynalite": "4.0.0"' in (folder / "package.json").read_text(encoding="utf-8")
    assert not (folder / "package-lock.json").exists()
