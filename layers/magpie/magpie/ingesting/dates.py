"""
Dates as people write them in front matter, records and file names; the day as written, no time zone.

What can't be told apart (03/04/2024) is None: a wrong date is worse than none.
"""

import re
from datetime import date, datetime

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan janeiro enero janvier januar gennaio",
            "february feb fevereiro febrero février februar febbraio",
            "march mar março marzo mars märz",
            "april apr abril avril aprile",
            "may mai maio mayo maggio",
            "june jun junho junio juin juni giugno",
            "july jul julho julio juillet juli luglio",
            "august aug agosto août",
            "september sep sept setembro septiembre septembre settembre",
            "october oct outubro octubre octobre oktober okt ottobre",
            "november nov novembro noviembre novembre",
            "december dec dezembro diciembre décembre dezember dez dicembre",
        ),
        start=1,
    )
    for name in names.split()
}
_YEAR_FIRST = re.compile(r"\s*(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_COMPACT = re.compile(r"\s*(\d{4})(\d{2})(\d{2})(?:T|\s*$)")
_DAY_FIRST = re.compile(r"\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)")
_DAY_MONTH = re.compile(
    r"(?:\w+,?\s+)?(\d{1,2})(?:st|nd|rd|th|\.|º)?\s+(?:de\s+)?([^\W\d]+)\.?,?\s+(?:de\s+)?(\d{4})"
)
_MONTH_DAY = re.compile(r"(?:\w+,\s+)?([^\W\d]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
_FILE_NAME = re.compile(r"(?<!\d)((?:19|20)\d{2})-(\d{1,2})-(\d{1,2})(?!\d)")
_FOLDER_PAGES = ("index.", "_index.", "readme.")


def parse_date(value: object) -> date | None:
    """The day that a value names, or None."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # 20240309
    return _from_text(value.strip()) if isinstance(value, str) else None


def date_of_name(path: str) -> date | None:
    """The day in a file's name, `2024-03-09-tides.md`, or in the folder's of an `index.md`."""
    *folders, name = path.split("/")
    if folders and name.lower().startswith(_FOLDER_PAGES):
        name = folders[-1]
    match = _FILE_NAME.search(name)
    return _day(match[1], match[2], match[3]) if match else None


def _from_text(text: str) -> date | None:
    if match := _YEAR_FIRST.match(text):
        return _day(match[1], match[3], match[4])
    if match := _COMPACT.match(text):
        return _day(*match.groups())
    if match := _DAY_FIRST.match(text):
        return _numbers(int(match[1]), match[2], int(match[3]), match[4])
    return _words(text)


def _numbers(first: int, separator: str, second: int, year: str) -> date | None:
    if separator == "." or first > 12 or first == second:
        return _day(year, str(second), str(first))
    if second > 12:
        return _day(year, str(first), str(second))
    return None


def _words(text: str) -> date | None:
    if match := _DAY_MONTH.match(text):
        return _named(match[3], match[2], match[1])
    if match := _MONTH_DAY.match(text):
        return _named(match[3], match[1], match[2])
    return None


def _named(year: str, month: str, day: str) -> date | None:
    number = _MONTHS.get(month.lower())
    return _day(year, str(number), day) if number else None


def _day(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
