"""
What follows from two values of one line by a step of arithmetic, where a sentence says that it takes that step.

"42,000 more" of 218,000 and 176,000; "three years later" of 2020 and 2023; "about eight months" of June 2021 to
February 2022; "four times a day" of every six hours; "three times as fast" of 2.4 s and 0.8 s; "150 rye loaves" of
600, one in four of them rye. Without such a word nothing is derived, since small numbers come about too easily.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from magpie.text.facts import Context, Fact, Kind, implies
from magpie.text.quantities import Quantity
from magpie.text.units import BY_NAME

_BY = re.compile(
    r"(?<!\w)(?:by|difference of|increase of|rise of|drop of|saving of|um|em|di|met|thêm)\s*(?:about|around|some|etwa)?\s*$",
    re.IGNORECASE,
)
_APART = re.compile(
    r"\s*(?:[^\W\d_]+\s+)?(?:more|fewer|less|later|earlier|cheaper|dearer|longer|shorter|faster|slower|mais|menos|depois|más|después|plus tard|de plus|de moins|"
    r"mehr|weniger|später|più|meno|dopo|meer|minder|later|hơn|sau)(?!\w)",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"(?<!\w)(?:in total|in all|altogether|together|combined|no total|ao todo|en total|au total|insgesamt|zusammen|in totale|in totaal|tổng cộng)(?!\w)",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"(?<!\w)(?:half|quarter|third|%|percent|one in|metade|mitad|moitié|hälfte|metà|helft)|%", re.IGNORECASE
)
_TIMES = BY_NAME["times"]
_PERCENT = BY_NAME["percent"]
_PERIOD_FACTORS = {name: BY_NAME[name] for name in ("day", "week", "month", "year", "hour", "minute")}
_EVERY = re.compile(
    r"(?<!\w)(?:every|each|cada|toutes les|tous les|alle|ogni|elke|om de|mỗi)\s*$", re.IGNORECASE
)


def follows(said: Fact, sentence: str, text: str, known: Sequence[Fact], around: Context) -> bool:
    """Does what is said follow from the known facts of one line, `text`?"""
    if said.quantity is None:
        return False
    return any(
        implies(replace(said, kind=said.kind, quantity=derived, days=()), said, around)
        for derived in _derived(said, sentence, text, known)
    )


def _derived(fact: Fact, sentence: str, text: str, known: Sequence[Fact]) -> Iterator[Quantity]:
    said = fact.quantity
    assert said is not None
    amounts = [fact.quantity for fact in known if fact.quantity]
    if said.unit is _TIMES:
        yield from _ratios(said, amounts)
        yield from _frequencies(said, text, known)
        return
    if said.unit and said.unit.family == "months":
        yield from _spans(said, known)
    pairs = [
        (one, other)
        for one, other in combinations(amounts, 2)
        if _is_alike(one, other) and _is_alike(one, said)
    ]
    if _APART.match(sentence, fact.end) or _BY.search(sentence[: fact.start]):
        yield from (_like(one, abs(one.amounts[0] - other.amounts[0]), said) for one, other in pairs)
    if _TOGETHER.search(sentence):
        yield from (_like(one, one.amounts[0] + other.amounts[0], said) for one, other in pairs)
        alike = [one for one in amounts if _is_alike(one, said)]
        if len(alike) > 2:
            yield _like(alike[0], sum(one.amounts[0] for one in alike), said)
    if _SHARE.search(text):
        yield from _shares(said, amounts)


def _ratios(said: Quantity, amounts: Sequence[Quantity]) -> Iterator[Quantity]:
    if said.per:
        return
    for one, other in combinations(amounts, 2):
        low, high = sorted((one.amounts[0], other.amounts[0]))
        if _is_alike(one, other) and low > 0:
            yield replace(said, amounts=(round(high / low, 2),), bound="")


def _frequencies(said: Quantity, text: str, known: Sequence[Fact]) -> Iterator[Quantity]:
    """Every six hours is four times a day."""
    period = _PERIOD_FACTORS.get(said.per)
    for fact in known:
        every = fact.quantity
        if not (period and every and every.unit and every.unit.family == period.family):
            continue
        if _EVERY.search(text[: fact.start]) and every.amounts[0] > 0:
            count = period.factor / (every.amounts[0] * every.unit.factor)
            yield replace(said, amounts=(round(count, 6),), bound="")


def _spans(said: Quantity, known: Sequence[Fact]) -> Iterator[Quantity]:
    """The years or months between two dates of a line; a span of months may count both of its ends."""
    days = [fact.days[0] for fact in known if fact.kind == Kind.DATE and fact.days and fact.days[0][0]]
    for one, other in combinations(sorted(days, key=lambda day: (day[0] or 0, day[1] or 0)), 2):
        assert one[0] is not None and other[0] is not None
        years = other[0] - one[0]
        if said.unit is BY_NAME["year"] and years > 0:
            yield replace(said, amounts=(float(years),), bound="")
        elif said.unit is BY_NAME["month"] and one[1] and other[1] and max(one[1], other[1]) <= 12:
            months = 12 * years + other[1] - one[1]
            yield from (replace(said, amounts=(float(count),), bound="") for count in (months, months + 1))


def _shares(said: Quantity, amounts: Sequence[Quantity]) -> Iterator[Quantity]:
    for share in amounts:
        if share.unit is _PERCENT and 0 < share.amounts[0] < 100:
            for whole in amounts:
                if whole.unit is not _PERCENT and _is_alike(whole, said):
                    yield _like(whole, whole.amounts[0] * share.amounts[0] / 100, said)


def _is_alike(one: Quantity, other: Quantity) -> bool:
    if one.currency != other.currency or (one.unit is _PERCENT) != (other.unit is _PERCENT):
        return False
    if one.unit is None or other.unit is None:
        return one.unit is other.unit or (one.unit or other.unit or _TIMES).counted
    return one.unit.name == other.unit.name


def _like(one: Quantity, amount: float, said: Quantity) -> Quantity:
    return replace(one, amounts=(round(amount, 6),), bound="", noun=said.noun, per=said.per)
