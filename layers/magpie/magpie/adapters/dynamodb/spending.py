"""
What models have cost, in DynamoDB: one item a month holds the month and each of its days, so that
one conditional write checks both. Amounts are whole billionths of a dollar.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from magpie.adapters.dynamodb.table import ConditionFailed, DynamoTable, Item
from magpie.errors import DatabaseUnavailable
from magpie.model import Band
from magpie.ports import Hold

logger = logging.getLogger("magpie.spending")

T = TypeVar("T")

KEPT_S = 100 * 86_400  # a month, and two more to look back at
SETTLE_S = 1.0
RANKS = (Band.FULL, Band.ECONOMY, Band.EXTRACTIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """
    Billionths of a dollar; None without a cap. From the share `economy_from` of either on, cheaper
    models answer; `least` is what one more answer of theirs needs, and where less is left nothing
    is spent at all.
    """

    day: int | None
    month: int | None
    economy_from: float = 0.75
    least: int = 0

    def band(self, day: int, month: int) -> Band:
        pairs = [(spent, cap) for spent, cap in ((day, self.day), (month, self.month)) if cap is not None]
        if any(cap - spent < max(self.least, 1) for spent, cap in pairs):
            return Band.EXTRACTIVE
        if any(spent >= cap * self.economy_from for spent, cap in pairs):
            return Band.ECONOMY
        return Band.FULL


class DynamoSpending:
    """
    The `Spending` port of one site. Raises on use: DatabaseUnavailable.

    Its table sends nothing twice (`tries=1`): a settling that was done twice would free money that is spent. A hold
    is tried again here, since one that was made twice only holds too much.
    """

    def __init__(self, table: DynamoTable, *, site: str, caps: Caps, now_s: Callable[[], float]) -> None:
        self._table = table
        self._site = site
        self._caps = caps
        self._now_s = now_s
        self._told: tuple[str, Band] = ("", Band.FULL)

    async def band(self) -> Band:
        place = self._place()
        spent = await _twice(lambda: self._table.get(place.pk)) or {}
        return await self._banded(place, spent)

    async def reserve(self, nano_usd: int) -> Hold | None:
        """None where it does not fit under both caps."""
        place = self._place()
        rooms = self._rooms(nano_usd)
        if any(room < 0 for room in rooms.values()):
            return None
        try:
            spent = await _twice(lambda: self._held(place, nano_usd, rooms))
        except ConditionFailed as exc:
            await self._tell(place, Band.EXTRACTIVE, exc.item)
            return None
        await self._banded(place, spent)
        return Hold(nano_usd=nano_usd, place=f"{place.pk} {place.day}")

    async def settle(self, hold: Hold, nano_usd: int) -> None:
        """Never raises: what can't be settled has cost its worst."""
        pk, day = hold.place.split(" ")
        try:
            await asyncio.wait_for(
                self._table.update(
                    pk,
                    "SET #day = #day - :free, #month = #month - :free",
                    {":free": hold.nano_usd - nano_usd},
                    condition="attribute_exists(#day)",
                    names={"#day": day, "#month": "month"},
                ),
                SETTLE_S,
            )
        except (DatabaseUnavailable, ConditionFailed, TimeoutError) as exc:
            logger.warning("a call was not settled", extra={"kind": type(exc).__name__})

    async def _held(self, place: "Place", nano_usd: int, rooms: Mapping[str, int]) -> Item:
        return await self._table.update(
            place.pk,
            "SET #day = if_not_exists(#day, :none) + :cost, #month = if_not_exists(#month, :none) + :cost, "
            "expires_at = :expires",
            {":none": 0, ":cost": nano_usd, ":expires": int(self._now_s()) + KEPT_S, **rooms},
            condition=" AND ".join(
                f"(attribute_not_exists({field}) OR {field} <= {room})"
                for field, room in (("#day", ":day_room"), ("#month", ":month_room"))
                if room in rooms
            ),
            names={"#day": place.day, "#month": "month"},
        )

    def _rooms(self, nano_usd: int) -> dict[str, int]:
        """How much may be spent already. Conditions can't do arithmetic, so it is done here."""
        needed = max(nano_usd, self._caps.least)
        caps = {":day_room": self._caps.day, ":month_room": self._caps.month}
        return {name: cap - needed for name, cap in caps.items() if cap is not None}

    def _place(self) -> "Place":
        today = datetime.fromtimestamp(self._now_s(), UTC)
        return Place(pk=f"spend#{self._site}#{today:%Y-%m}", day=f"day_{today:%d}", told=f"told_{today:%d}")

    # --- Telling the owner ----------------------------------------------------------------------

    async def _banded(self, place: "Place", spent: Item) -> Band:
        band = self._caps.band(_amount(spent, place.day), _amount(spent, "month"))
        await self._tell(place, band, spent)
        return band

    async def _tell(self, place: "Place", band: Band, spent: Mapping[str, object] | None = None) -> None:
        """Says once a day, whichever process sees it first, that a band was left for a lower one."""
        day = f"{place.pk} {place.day}"
        last = self._told[1] if self._told[0] == day else Band.FULL
        if RANKS.index(band) <= RANKS.index(last):
            return
        self._told = (day, band)
        try:
            await self._table.update(
                place.pk,
                "SET #told = :rank",
                {":rank": RANKS.index(band)},
                condition="attribute_not_exists(#told) OR #told < :rank",
                names={"#told": place.told},
            )
        except (ConditionFailed, DatabaseUnavailable):
            return  # another process has said so, or nobody can know
        logger.warning(
            "the spending band changed", extra=_figures(self._site, band, last, place, spent or {})
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a day stands: the month's item and the day's attributes in it."""

    pk: str
    day: str
    told: str


def _figures(
    site: str, band: Band, last: Band, place: Place, spent: Mapping[str, object]
) -> dict[str, object]:
    figures: dict[str, object] = {"site": site, "band": band.value, "was": last.value}
    for name, field in (("usd_today", place.day), ("usd_this_month", "month")):
        if field in spent:
            figures[name] = _amount(spent, field) / 1_000_000_000
    return figures


async def _twice(call: Callable[[], Awaitable[T]]) -> T:
    """Connections that slept with the function may be gone: the second try has a new one."""
    try:
        return await call()
    except DatabaseUnavailable:
        return await call()


def _amount(spent: Mapping[str, object], field: str) -> int:
    found = spent.get(field, 0)
    return found if isinstance(found, int) else 0
