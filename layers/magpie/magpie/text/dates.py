"""
Dates as people write them in eight languages, and in Chinese, Japanese and Thai, as (year, month, day).

A part that was not written is None, so that `May 2024` and `3 May 2024` can be compared. `03/05/2024` has two
readings. A quarter is the months 101 to 104.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from magpie.text.words import fold

Day = tuple[int | None, int | None, int | None]
"""Year, month, day; None where the text does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A date in a text: `text[start:end]`, and what it may mean."""

    start: int
    end: int
    readings: tuple[Day, ...]


_MONTH_NAMES = (
    "january janeiro enero janvier januar gennaio januari jan jän ene gen janv",
    "february fevereiro febrero février februar febbraio februari feb fev févr fév",
    "march março marzo mars märz maart mar mär mrt",
    "april abril avril aprile apr abr avr",
    "may maio mayo mai maggio mei mag",
    "june junho junio juin juni giugno jun giu",
    "july julho julio juillet juli luglio jul juil lug",
    "august agosto août augustus aug ago aout",
    "september setembro septiembre septembre settembre sep sept set setiembre",
    "october outubro octubre octobre oktober ottobre oct out okt ott",
    "november novembro noviembre novembre nov",
    "december dezembro diciembre décembre dezember dicembre dec dez dic déc",
)
MONTHS: dict[str, int] = {
    fold(name): number + 1 for number, names in enumerate(_MONTH_NAMES) for name in names.split()
}
# Words that are a month only beside a day and a year: "set 3 times", "out 20".
_LOOSE = frozenset(
    [
        "set",
        "out",
        "ago",
        "mar",
        "mag",
        "gen",
        "ene",
        "dic",
        "dec",
        "nov",
        "fev",
        "may",
        "mai",
        "mars",
        "jan",
        "jun",
    ]
)
_FULL_NAMES = (
    frozenset(name for name in MONTHS if len(name) > 3) - _LOOSE - {"sept", "janv", "juil", "fevr", "march"}
)
_THAI_MONTHS = (
    "มกราคม",
    "กุมภาพันธ์",
    "มีนาคม",
    "เมษายน",
    "พฤษภาคม",
    "มิถุนายน",
    "กรกฎาคม",
    "สิงหาคม",
    "กันยายน",
    "ตุลาคม",
    "พฤศจิกายน",
    "ธันวาคม",
)
_VIET_MONTHS = {
    "một": 1,
    "giêng": 1,
    "hai": 2,
    "ba": 3,
    "tư": 4,
    "năm": 5,
    "sáu": 6,
    "bảy": 7,
    "tám": 8,
    "chín": 9,
    "mười": 10,
}
_WEEKDAY_NAMES = (
    "monday segunda-feira segundas-feiras lunes lundi lundis montag lunedì maandag mondays montags maandags",
    "tuesday terça-feira martes mardi dienstag martedì dinsdag tuesdays dienstags terças-feiras mardis dinsdags",
    "wednesday quarta-feira miércoles mercredi mittwoch mercoledì woensdag wednesdays mittwochs quartas-feiras mercredis woensdags",
    "thursday quinta-feira jueves jeudi donnerstag giovedì donderdag thursdays donnerstags quintas-feiras jeudis donderdags",
    "friday sexta-feira viernes vendredi freitag venerdì vrijdag fridays freitags sextas-feiras vendredis vrijdags",
    "saturday sábado samedi samstag sabato zaterdag saturdays sábados samstags sabati samedis zaterdags sonnabend",
    "sunday domingo dimanche sonntag domenica zondag sundays domingos sonntags dimanches domeniche zondags",
)
WEEKDAYS: dict[str, int] = {
    fold(name): day for day, names in enumerate(_WEEKDAY_NAMES) for name in names.split()
}

_M = r"(?P<month>[^\W\d_]{3,11})"
_D = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|ª|°|\.)?"
_Y = r"(?P<year>(?:1[5-9]|20|21)\d\d)(?!\d)"
_LINK = r"(?:\s+(?:of\s|de\s|del\s|d['’]))?\s*"
_FROM = r"(?<![\w.,/-])"
_BEFORE_NAME = r"(?<!\w)"

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_FROM}(?P<year>\d{{4}})(?P<gap>[-/.])(?P<month>\d{{1,2}})(?P=gap)(?P<day>\d{{1,2}})(?!\d)",
        rf"{_FROM}(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?![\d\w-])",
        r"(?P<year>\d{4})\s?年(?:\s?(?P<month>\d{1,2})\s?月(?:\s?(?P<day>\d{1,2})\s?[日号號])?)?",
        r"(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?[日号號]",
        rf"{_FROM}(?P<first>\d{{1,2}})[./-](?P<second>\d{{1,2}})[./-](?P<year>\d{{4}}|\d\d)(?![\d\w]|[.,/-]\d)",
        rf"{_BEFORE_NAME}(?:ngày\s+)?(?P<day>\d{{1,2}})\s+tháng\s+(?P<viet>\d{{1,2}}|[^\W\d_]{{2,5}})"
        rf"(?:,?\s+năm\s+{_Y}|[/,]\s?(?P<year2>\d{{4}}))?",
        rf"{_BEFORE_NAME}tháng\s+(?P<viet>\d{{1,2}}|[^\W\d_]{{2,5}})(?:,?\s+năm\s+{_Y}|\s?[/,]\s?(?P<year2>\d{{4}}))",
        rf"{_FROM}{_D}{_LINK}{_M}\.?(?:,?{_LINK}{_Y}|\s['’](?P<short>\d\d)(?!\d))?",
        rf"{_BEFORE_NAME}{_M}\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d%:]|[.,]\d)(?:,?\s+{_Y})?",
        rf"{_BEFORE_NAME}{_M}\.?,?(?:\s+(?:of|de|del))?\s+{_Y}",
        rf"{_BEFORE_NAME}{_M}/(?P<year>\d{{4}})(?!\d)",
        rf"{_FROM}(?P<month>0?[1-9]|1[0-2])/{_Y}",
        rf"{_BEFORE_NAME}(?:Q|T)(?P<quarter>[1-4])(?:[\s/,-]*(?:of\s|de\s)?{_Y})?(?!\w)",
        rf"{_BEFORE_NAME}(?:in|since|from|until|by|every|during|em|desde|até|en|hasta|depuis|jusqu['’]en|im|ab|seit|da|"
        rf"a|à|al|dal|sinds|vanaf|und|and|to|e|y|et|of|de|di|early|late|mid)[\s-](?P<alone>[^\W\d_]{{3,11}})(?!\w)",
    )
)
# In English and German a month has its capital wherever it stands.
_CAPITAL = re.compile(
    r"(?<!\w)(?P<alone>January|February|April|June|July|August|September|October|November|December|Januar|Februar|März|Juni|Juli|"
    r"Oktober|Dezember)(?!\w)"
)
_THAI = re.compile(
    rf"(?:(?P<day>\d{{1,2}})\s?)?(?P<thai>{'|'.join(_THAI_MONTHS)})(?:\s?(?:พ\.ศ\.|ค\.ศ\.)?\s?(?P<year>\d{{4}}))?"
)
_FEASTS = re.compile(
    r"(?<!\w)(?:(?P<christmas>Christmas Day|dia de Natal|día de Navidad|jour de Noël|Weihnachtstag|giorno di Natale|eerste kerstdag)"
    r"|(?P<eve>Christmas Eve|véspera de Natal|Nochebuena|veille de Noël|Heiligabend|vigilia di Natale|kerstavond)"
    r"|(?P<boxing>Boxing Day|tweede kerstdag)"
    r"|(?P<last>New Year['’]s Eve|Nochevieja|Silvester|Saint-Sylvestre|San Silvestro|oudejaarsdag|oudejaarsavond)"
    r"|(?P<new>New Year['’]s Day|dia de Ano Novo|Año Nuevo|jour de l['’]An|Neujahrstag|Neujahr|Capodanno|nieuwjaarsdag|nieuwjaar))(?!\w)"
)
_FEAST_DAYS: dict[str, Day] = {
    "christmas": (None, 12, 25),
    "eve": (None, 12, 24),
    "boxing": (None, 12, 26),
    "last": (None, 12, 31),
    "new": (None, 1, 1),
}
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(
    r"(?<![\w.,/:#+-])(?P<year>(?:1[89]|20)\d\d)(?![\w%€$£]|[.,:/]\d|-\d{3}|[ \u00a0](?:€|£|\$|%|EUR|USD|GBP))"
)
_YEARS = re.compile(r"(?<![\w.,/])(?P<year>(?:19|20)\d\d)\s?[-–—/]\s?(?P<until>(?:19|20)\d\d|\d\d)(?![\w-])")
_RANGE = re.compile(
    r"(?<![\w.,/])(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s?(?:-|–|—|\bto\b|\band\b|\ba\b|\by\b|\be\b|\bbis\b|\bau\b|\bal\b|\btot\b|\bund\b|\bet\b)\s?$"
)
_WEEKDAY = re.compile(r"[^\W\d_]+(?:-feiras?)?")
_VIET_WEEKDAY = re.compile(
    r"(?<!lần )(?<!tầng )(?<!thế hệ )(?<!người )(?<!bước )(?<!đoạn )(?<!khóa )(?<!tháng )thứ\s+(?P<name>hai|ba|tư|năm|sáu|bảy)(?!\w)|(?P<sunday>chủ nhật)",
    re.IGNORECASE,
)
_VIET_DAYS = ("hai", "ba", "tư", "năm", "sáu", "bảy")


def is_month(word: str) -> bool:
    """Is it a month's name or its short form, in any of the languages?"""
    return fold(word) in MONTHS


def dates(text: str) -> tuple[Dated, ...]:
    """All dates, first come first, none within another."""
    found = _without_overlaps(tuple(_all(text)))
    return tuple(sorted((*found, *_range_starts(text, found)), key=lambda dated: dated.start))


def weekdays(text: str) -> Iterator[tuple[int, int, int]]:
    """Weekdays by name: start, end, 0 for Monday."""
    for match in _WEEKDAY.finditer(text):
        day = WEEKDAYS.get(fold(match[0]))
        if day is not None:
            yield match.start(), match.end(), day
    for match in _VIET_WEEKDAY.finditer(text):
        yield match.start(), match.end(), 6 if match["sunday"] else _VIET_DAYS.index(match["name"].casefold())


def agrees(said: Day, known: Day) -> bool:
    """Does what is known imply what is said? A coarser date is implied, a finer one is not."""
    return all(part is None or part == have for part, have in zip(said, known, strict=True))


def _all(text: str) -> Iterator[Dated]:
    # Without a digit there is at most a month by itself.
    for pattern in (*_PATTERNS, _CAPITAL, _THAI) if _DIGIT.search(text) else (_PATTERNS[-1], _CAPITAL, _THAI):
        for match in pattern.finditer(text):
            readings = tuple(dict.fromkeys(_readings({k: v for k, v in match.groupdict().items() if v})))
            if readings:
                yield Dated(start=_start(match), end=match.end(), readings=readings)
    for match in _FEASTS.finditer(text):
        yield Dated(start=match.start(), end=match.end(), readings=(_FEAST_DAYS[str(match.lastgroup)],))
    for match in _YEARS.finditer(text):
        yield from _both_years(match)
    for match in _YEAR.finditer(text):
        yield Dated(start=match.start(), end=match.end(), readings=((int(match["year"]), None, None),))


def _start(match: re.Match[str]) -> int:
    return match.start("alone") if "alone" in match.re.groupindex else match.start()


def _both_years(match: re.Match[str]) -> Iterator[Dated]:
    first, until = match["year"], match["until"]
    last = int(until) if len(until) == 4 else int(first[:2] + until)
    if last > int(first):
        yield Dated(start=match.start(), end=match.end("year"), readings=((int(first), None, None),))
        yield Dated(start=match.start("until"), end=match.end(), readings=((last, None, None),))


def _without_overlaps(found: tuple[Dated, ...]) -> tuple[Dated, ...]:
    kept: list[Dated] = []
    taken: set[int] = set()
    for dated in found:
        if taken.isdisjoint(range(dated.start, dated.end)):
            taken.update(range(dated.start, dated.end))
            kept.append(dated)
    return tuple(kept)


def _range_starts(text: str, found: tuple[Dated, ...]) -> Iterator[Dated]:
    """The `3` of `3 to 5 May`."""
    for dated in found:
        match = _RANGE.search(text[max(0, dated.start - 16) : dated.start])
        if match and all(day for _, _, day in dated.readings):
            start = max(0, dated.start - 16) + match.start()
            readings = tuple((year, month, int(match["day"])) for year, month, _ in dated.readings)
            yield Dated(start=start, end=start + len(match["day"]), readings=readings)


def _readings(parts: dict[str, str]) -> Iterator[Day]:
    year = _year(parts)
    day = int(parts["day"]) if "day" in parts else None
    if "first" in parts:
        yield from _either_order(int(parts["first"]), int(parts["second"]), year)
    elif "quarter" in parts:
        yield (year, 100 + int(parts["quarter"]), None)
    else:
        month = _month(parts, day, year)
        if (month and 1 <= month <= 12 and (day is None or 1 <= day <= 31)) or (
            month is None and _bare_year(parts)
        ):
            yield (year, month, day)


def _bare_year(parts: dict[str, str]) -> bool:
    return set(parts) == {"year"}


def _either_order(first: int, second: int, year: int | None) -> Iterator[Day]:
    if 1 <= second <= 12 and 1 <= first <= 31:
        yield (year, second, first)
    if 1 <= first <= 12 and 1 <= second <= 31:
        yield (year, first, second)


def _year(parts: dict[str, str]) -> int | None:
    written = parts.get("year") or parts.get("year2") or parts.get("short")
    if written is None:
        return None
    if len(written) == 2:
        return 2000 + int(written) if int(written) < 70 else 1900 + int(written)
    year = int(written)
    return year - 543 if 2400 < year < 2700 else year


def _month(parts: dict[str, str], day: int | None, year: int | None) -> int | None:
    if "thai" in parts:
        return _THAI_MONTHS.index(parts["thai"]) + 1
    if "viet" in parts:
        return (
            int(parts["viet"]) if parts["viet"].isdigit() else _VIET_MONTHS.get(parts["viet"].casefold(), 0)
        )
    if "alone" in parts:
        return _alone(parts["alone"])
    written = parts.get("month")
    if written is None:
        return None
    return int(written) if written.isdigit() else _named(written, day, year)


def _alone(written: str) -> int:
    name = fold(written)
    capital = written[0].isupper() and name in ("march", "may", "mai", "mars")
    return MONTHS[name] if name in _FULL_NAMES or capital else 0


def _named(written: str, day: int | None, year: int | None) -> int:
    """A month's number, 0 where the word is more likely another one."""
    name = fold(written)
    loose = name in _LOOSE and not written[0].isupper() and not (day and year)
    whole = name in ("mai", "mars") and year
    return 0 if loose and not whole else MONTHS.get(name, 0)
