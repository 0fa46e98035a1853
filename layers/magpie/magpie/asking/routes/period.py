"""The month or year that a question names."""

import calendar
from dataclasses import dataclass
from datetime import date

from magpie.text.dates import dates

THIS_YEAR = (
    "this year",
    "este ano",
    "este año",
    "cette année",
    "dieses jahr",
    "diesem jahr",
    "quest'anno",
    "dit jaar",
    "năm nay",
)
LAST_YEAR = ("last year", "ano passado", "año pasado", "année dernière", "an dernier", "letztes jahr", "letzten jahr", "anno scorso",
             "vorig jaar", "năm ngoái")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """First and last day; `month` is None for a whole year."""

    first: date
    last: date
    year: int
    month: int | None = None


def period_in(text: str, today: date) -> Period | None:
    """The first month or year of the text; None where it names none."""
    for dated in dates(text):
        for year, month, day in dated.readings:
            if year and day is None and 1 <= (month or 1) <= 12:
                return _period(year, month)
    lowered = text.casefold()
    if any(words in lowered for words in THIS_YEAR):
        return _period(today.year, None)
    if any(words in lowered for words in LAST_YEAR):
        return _period(today.year - 1, None)
    return None


def _period(year: int, month: int | None) -> Period:
    last_month = month or 12
    last_day = calendar.monthrange(year, last_month)[1]
    return Period(
        first=date(year, month or 1, 1), last=date(year, last_month, last_day), year=year, month=month
    )
