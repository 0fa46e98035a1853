"""
Hard facts: what a sentence says that can be looked up to the digit or to the letter.

`facts(text, language)` finds them; `implies(known, said, context)` tells whether one known fact makes a
said one true: the same in another form, a coarser date, another unit, or an honest rounding. Names are
compared by whoever holds the evidence, since a name is true where it stands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import floor, isclose, log10

from magpie.text.dates import Dated, Day, agrees, dates, weekdays
from magpie.text.names import names
from magpie.text.numbers import plain_digits, word_value
from magpie.text.ordinals import Ordinal, ordinals
from magpie.text.quantities import Quantity, quantities
from magpie.text.units import BY_NAME, CURRENCIES, PERIODS, Unit, unit_of
from magpie.text.words import WORD, stem


class Kind(StrEnum):
    """What kind of fact. A duration is an amount with a unit of time, a price one with a currency."""

    AMOUNT = "amount"
    MONEY = "money"
    DATE = "date"
    TIME = "time"
    WEEKDAY = "weekday"
    PERIOD = "period"
    ORDINAL = "ordinal"
    EMAIL = "email"
    PHONE = "phone"
    URL = "url"
    CODE = "code"
    NAME = "name"
    TERM = "term"


VALUES = frozenset(
    {
        Kind.AMOUNT,
        Kind.MONEY,
        Kind.DATE,
        Kind.TIME,
        Kind.WEEKDAY,
        Kind.PERIOD,
        Kind.ORDINAL,
        Kind.EMAIL,
        Kind.PHONE,
        Kind.URL,
        Kind.CODE,
    }
)
NAMES = frozenset({Kind.NAME, Kind.TERM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """
    `text` is how it was written, from `start` to `end`. `normal` is its plain form where there is just one (an
    address, a phone number, a period). `weak`: a name only where it is known as one.
    """

    kind: Kind
    text: str
    start: int
    end: int
    normal: str = ""
    quantity: Quantity | None = None
    days: tuple[Day, ...] = ()
    words: tuple[str, ...] = ()
    weak: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What stands around a known fact: units and currencies that are named, stems of words, years of the block."""

    units: frozenset[str] = frozenset()
    currencies: frozenset[str] = frozenset()
    stems: frozenset[str] = frozenset()
    years: frozenset[int] = frozenset()


_TOKENS = re.compile(r"\[\[link:\d{1,4}\]\]|\[\d{1,3}\]")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,5}[A-Za-z]{2,24}")
_SPELT_EMAIL = re.compile(
    r"(?<![\w.+-])([\w.+-]{1,64})\s?[\[({]\s?(?:at|arroba|ät)\s?[\])}]\s?([\w-]{1,63})((?:\s?(?:\.|[\[({]\s?(?:dot|ponto|punto|point|punkt)\s?[\])}])\s?[\w-]{2,63}){1,4})",
    re.IGNORECASE,
)
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"'()\[\]{}|\\^`“”»«]{2,1500}", re.IGNORECASE)
_HOST = re.compile(
    r"(?<![\w@.-])(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|app|gov|edu|info|biz|co|eu|uk|de|fr|es|pt|br|it|nl|vn|ch|at|be|us|ai|example|test|studio|tech|cloud|agency|xyz|me|tv)"
    r"(?![\w-]|\.[a-z])(?:/[^\s<>\"'()\[\]{}|\\^`“”»«]{0,1500})?"
)
_SPELT_HOST = re.compile(
    r"(?<![\w@.-])[a-z0-9-]{2,63}(?:\s?[\[({]\s?(?:\.|dot|ponto|punto|point|punkt)\s?[\])}]\s?[a-z0-9-]{2,63}){1,4}"
    r"|(?<![\w@.-])[a-z0-9-]{2,63}(?: dot [a-z0-9-]{2,63}){0,2} dot (?:com|org|net|io|dev|app|example|info|xyz|me)(?!\w)",
    re.IGNORECASE,
)
_PHONE = re.compile(
    r"(?<![\w.,/@+-])(?:(?:\+|00)\d[\d \u00a0().\-/]{5,22}\d|\(0?\d{1,5}\)[ \d\u00a0.\-/]{5,16}\d|0\d{1,5}[ \u00a0\-/.]\d[\d \u00a0\-/.]{3,14}\d"
    r"|\d{3}[ .-]\d{3}[ .-]\d{4}|\d{3}-\d{4}|0\d{8,11})(?![\w])"
)
_TIME = re.compile(
    r"(?<![\w.,:/])(?P<hour>[01]?\d|2[0-4])(?:(?P<sep>[:.h]|\sgiờ\s)(?P<minute>[0-5]\d))?\s?"
    r"(?:(?P<half>a\.?m\.?|p\.?m\.?|uhr|uur|o['’]clock|giờ|時|h)?(?![\w]))"
    r"(?P<part>\s(?:in the (?:afternoon|evening)|at night|da (?:tarde|noite)|de la (?:tarde|noche)|du soir|de l['’]après-midi"
    r"|nachmittags|abends|di sera|del pomeriggio|['’]s (?:middags|avonds)|chiều|tối|đêm)(?!\w)|"
    r"\s(?:in the morning|da manhã|de la mañana|du matin|morgens|vormittags|di mattina|del mattino|['’]s (?:ochtends|morgens)|sáng)(?!\w))?",
    re.IGNORECASE,
)
_MORNING = re.compile(r"mor|manh|mañ|mat|ocht|vorm|sáng", re.IGNORECASE)
_NOON = re.compile(
    r"(?<!\w)(?:(?P<noon>noon|midday|meio-dia|mediodía|midi|mezzogiorno)|midnight|meia-noite|medianoche|minuit|mitternacht|mezzanotte|middernacht)(?!\w)",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"(?<!\w)(?P<part>half past|quarter past|quarter to) (?P<hour>[a-z]{3,6}|\d{1,2})(?!\w)", re.IGNORECASE
)
_CODE = re.compile(
    r"(?<![\w.])(?:(?!(?:mid|pre|post|early|late|twenty|thirty|forty|fifty)-)[A-Za-z]{2,12}-\d{1,5}(?:\.\d{1,4}){0,3}|24/7|(?!\d{1,3}(?:\.\d{3})+(?!\d))v?\d{1,4}\.\d{1,4}\.\d{1,6}(?:\.\d{1,4})?|v\d{1,3}(?:\.\d{1,4})?|\d{1,2}:1)(?![\w])",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"(?<!\w)(?:every|each|once a|once per|twice a|cada|a cada|todas as|todos os|todos los|todas las|chaque|par|pro|jede[nsrm]?|ogni|elke|mỗi|hàng|per)\s(?P<unit>[^\W\d_]+)(?!\w)",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?…*_'’"
_PERIOD_NAMES = frozenset(PERIODS.values())


def facts(text: str, language: str) -> tuple[Fact, ...]:
    """All hard facts, in order. Offsets point into `text`."""
    plain, found = _values(text, language, generous=False)
    taken = [(fact.start, fact.end) for fact in found if fact.kind in (Kind.TIME, Kind.ORDINAL, Kind.DATE)]
    found += [
        _name(name.term, text, name.start, name.end, name.words, name.weak)
        for name in names(plain, language)
        if not any(name.start < end and start < name.end for start, end in taken)
    ]
    return tuple(sorted(found, key=lambda fact: fact.start))


def known_values(text: str, language: str) -> tuple[Fact, ...]:
    """
    The facts of a piece of evidence, names left out: those are looked up where they stand.

    Reads more into doubtful words ("a week" is one week), since a reading more there proves no lie.
    """
    return tuple(sorted(_values(text, language, generous=True)[1], key=lambda fact: fact.start))


def _values(text: str, language: str, *, generous: bool) -> tuple[str, list[Fact]]:
    """The text with addresses and codes blanked out, and all facts but names."""
    plain = plain_digits(text)
    plain = _blanked(plain, _TOKENS.finditer(plain))
    found: list[Fact] = []
    for step in (_emails, _addresses, _codes):
        plain = _taken(plain, found, tuple(step(plain)))
    found_dates = dates(plain)
    phones = tuple(_phones(plain, found_dates))
    plain = _taken(plain, found, phones)
    found += [_date(text, dated) for dated in found_dates if not _inside(dated, phones)]
    named = _without_dates(plain, found)
    found += _weekdays(named)
    bare = _taken(named, found, tuple(_times(named)))
    amounts = [_amount(text, quantity) for quantity in quantities(bare, language, generous=generous)]
    places = [
        place
        for place in ordinals(bare, language)
        if not any(fact.start < place.start < fact.end for fact in amounts)
    ]
    found += [_ordinal(text, place) for place in places]
    found += [fact for fact in amounts if not any(place.start <= fact.start < place.end for place in places)]
    found += _periods(named)
    return plain, found


def _blanked(text: str, matches: Iterator[re.Match[str]]) -> str:
    for match in matches:
        text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text


def _taken(plain: str, found: list[Fact], new: tuple[Fact, ...]) -> str:
    """Note the facts, and blank them out so that nobody reads numbers into them."""
    found += new
    for fact in new:
        plain = plain[: fact.start] + "_" * (fact.end - fact.start) + plain[fact.end :]
    return plain


def _without_dates(plain: str, found: list[Fact]) -> str:
    for fact in found:
        if fact.kind == Kind.DATE:
            plain = plain[: fact.start] + "_" * (fact.end - fact.start) + plain[fact.end :]
    return plain


def _inside(dated: Dated, phones: tuple[Fact, ...]) -> bool:
    return any(phone.start <= dated.start < phone.end for phone in phones)


def _simple(kind: Kind, text: str, start: int, normal: str) -> Fact:
    return Fact(kind=kind, text=text, start=start, end=start + len(text), normal=normal)


def _emails(text: str) -> Iterator[Fact]:
    for match in _EMAIL.finditer(text):
        yield _simple(Kind.EMAIL, match[0], match.start(), match[0].casefold())
    for match in _SPELT_EMAIL.finditer(text):
        domain = match[2] + "".join("." + part for part in re.findall(r"[\w-]{2,}(?![\])}])", match[3]))
        yield _simple(Kind.EMAIL, match[0], match.start(), f"{match[1]}@{domain}".casefold())


def _addresses(text: str) -> Iterator[Fact]:
    taken = 0
    for match in sorted((*_URL.finditer(text), *_HOST.finditer(text)), key=lambda found: found.start()):
        written = match[0].rstrip(_TRAILING)
        if match.start() >= taken and written:
            taken = match.end()
            yield _simple(Kind.URL, written, match.start(), plain_address(written))
    for match in _SPELT_HOST.finditer(text):
        if match.start() >= taken:
            bare = re.sub(r"\s?[\[({]\s?(?:\.|[a-z]+)\s?[\])}]\s?| dot ", ".", match[0], flags=re.IGNORECASE)
            yield _simple(Kind.URL, match[0], match.start(), plain_address(bare))


def plain_address(url: str) -> str:
    """Scheme, `www.`, case of the host and a last slash make no difference."""
    bare = re.sub(r"^https?://", "", url, flags=re.IGNORECASE)
    host, slash, path = bare.partition("/")
    return (host.casefold().removeprefix("www.") + slash + path).rstrip("/")


def _codes(text: str) -> Iterator[Fact]:
    for match in _CODE.finditer(text):
        yield _simple(Kind.CODE, match[0], match.start(), match[0].casefold().lstrip("v"))


def _phones(text: str, found: tuple[Dated, ...]) -> Iterator[Fact]:
    for match in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        dated = any(dated.start <= match.start() < dated.end for dated in found)
        if 7 <= len(digits) <= 15 and not dated and not re.fullmatch(r"\d{1,3}(?:[ .]\d{3})+", match[0]):
            yield _simple(Kind.PHONE, match[0], match.start(), digits)


def _times(text: str) -> Iterator[Fact]:
    for match in _TIME.finditer(text):
        half = (match["half"] or "").casefold().replace(".", "")
        if (match["sep"] or "").strip() not in (":", "giờ") and half in ("", "h") and not match["part"]:
            continue
        hour = int(match["hour"])
        if half in ("am", "pm"):
            hour = hour % 12 + (12 if half == "pm" else 0)
        elif match["part"] and not _MORNING.search(match["part"]) and hour < 12:
            hour += 12
        yield _simple(
            Kind.TIME, match[0].rstrip(), match.start(), f"{hour % 24:02}:{match['minute'] or '00'}"
        )
    for match in _NOON.finditer(text):
        yield _simple(Kind.TIME, match[0], match.start(), "12:00" if match["noon"] else "00:00")
    for match in _PAST.finditer(text):
        digits = int(match["hour"]) if match["hour"].isdigit() else 0
        past_hour = int(word_value(match["hour"], "en") or digits)
        if 1 <= past_hour <= 12:
            minutes = (
                past_hour * 60
                + {"half past": 30, "quarter past": 15, "quarter to": -15}[match["part"].casefold()]
            )
            yield _simple(Kind.TIME, match[0], match.start(), f"{minutes // 60:02}:{minutes % 60:02}")


def _weekdays(text: str) -> list[Fact]:
    return [_simple(Kind.WEEKDAY, text[start:end], start, str(day)) for start, end, day in weekdays(text)]


def _periods(text: str) -> list[Fact]:
    found = [
        _simple(Kind.PERIOD, match[0], match.start(), PERIODS[match[0].casefold()])
        for match in WORD.finditer(text)
        if match[0].casefold() in PERIODS
    ]
    for match in _EVERY.finditer(text):
        unit = unit_of(match["unit"])
        if unit and unit.name in _PERIOD_NAMES:
            found.append(_simple(Kind.PERIOD, match[0], match.start(), unit.name))
    return found


def _ordinal(text: str, place: Ordinal) -> Fact:
    return Fact(
        kind=Kind.ORDINAL,
        text=text[place.start : place.end],
        start=place.start,
        end=place.end,
        normal=str(place.value or f"{place.year}s"),
        words=(place.noun,) if place.noun else (),
        weak=not place.roman and not place.year,
    )


def _date(text: str, dated: Dated) -> Fact:
    return Fact(
        kind=Kind.DATE,
        text=text[dated.start : dated.end],
        start=dated.start,
        end=dated.end,
        days=dated.readings,
    )


def _amount(text: str, quantity: Quantity) -> Fact:
    kind = Kind.MONEY if quantity.currency else Kind.AMOUNT
    return Fact(
        kind=kind,
        text=text[quantity.start : quantity.end],
        start=quantity.start,
        end=quantity.end,
        quantity=quantity,
    )


def _name(term: bool, text: str, start: int, end: int, words: tuple[str, ...], weak: bool) -> Fact:
    kind = Kind.TERM if term else Kind.NAME
    return Fact(kind=kind, text=text[start:end], start=start, end=end, words=words, weak=weak)


def context(text: str, years: frozenset[int] = frozenset()) -> Context:
    """What a piece of evidence names besides its facts."""
    words = WORD.findall(text)
    units = {PERIODS[word.casefold()] for word in words if word.casefold() in PERIODS}
    units |= {unit.name for word in words if (unit := unit_of(word))}
    if "%" in text:
        units.add("percent")
    marks = [*words, *re.findall(r"R\$|US\$|[£€$¥₫฿₹₩円元]", text)]
    money = {CURRENCIES[word.casefold()] for word in marks if word.casefold() in CURRENCIES}
    return Context(
        units=frozenset(units), currencies=frozenset(money), stems=frozenset(map(stem, words)), years=years
    )


# --- Does one fact imply another? ---------------------------------------------------------------


def implies(known: Fact, said: Fact, around: Context) -> bool:
    """Is what is said true, if what is known is?"""
    if said.quantity and known.quantity:
        return _amounts_agree(known.quantity, said.quantity, around)
    if Kind.ORDINAL in (said.kind, known.kind):
        return _places_agree(said, known)
    if said.days or known.days:
        return _dates_agree(said, known, around)
    if said.kind == Kind.PHONE and known.kind == Kind.PHONE:
        return _same_phone(said.normal, known.normal)
    if Kind.TIME in (said.kind, known.kind):
        return _times_agree(said, known)
    if said.kind == Kind.PERIOD:
        return (known.kind == Kind.PERIOD and known.normal == said.normal) or (
            known.quantity is not None and known.quantity.per == said.normal
        )
    return said.kind == known.kind and bool(said.normal) and said.normal == known.normal


def _dates_agree(said: Fact, known: Fact, around: Context) -> bool:
    if said.days and known.days:
        return any(_day_agrees(one, other, around) for one in said.days for other in known.days)
    quantity = said.quantity or known.quantity
    return quantity is not None and _is_year_of(quantity, said.days or known.days)


def _times_agree(said: Fact, known: Fact) -> bool:
    if said.kind == known.kind:
        return said.normal == known.normal or _is_afternoon(known.normal, said)
    if known.quantity:
        return _is_hour(known.quantity, said.normal) or _is_hour_of_half(known.quantity, said)
    return said.quantity is not None and _is_hour(said.quantity, known.normal)


def _places_agree(said: Fact, known: Fact) -> bool:
    """The second floor and floor 2; the 19th century, the 1800s, and 1843; never "two" for "second"."""
    if said.kind == known.kind:
        return said.normal == known.normal or _is_century_of(said.normal, known.normal)
    if known.days and said.normal.endswith("s"):
        span = 100 if said.normal.endswith("00s") else 10
        return any(day[0] is not None and 0 <= day[0] - int(said.normal[:-1]) < span for day in known.days)
    number, place = (said, known) if said.quantity else (known, said)
    quantity = number.quantity
    plain = quantity is not None and quantity.unit is None and not quantity.currency and not quantity.spelled
    return bool(plain and quantity and place.normal == f"{quantity.amounts[0]:g}")


def _is_century_of(one: str, other: str) -> bool:
    return any(
        years.endswith("00s") and not place.endswith("s") and int(years[:2]) + 1 == int(place)
        for years, place in ((one, other), (other, one))
    )


def _day_agrees(said: Day, known: Day, around: Context) -> bool:
    if agrees(said, known):
        return True
    year = said[0]
    return (
        year is not None
        and known[0] is None
        and year in around.years
        and said[1:] == known[1:]
        and said[1] is not None
    )


def _is_year_of(quantity: Quantity, days: tuple[Day, ...]) -> bool:
    if quantity.currency or (quantity.unit and not quantity.unit.counted):
        return False
    return any(
        day[0] in quantity.amounts and (day[1] is None or day[2] is None)
        for day in days
        if day[0] and day[1] is None
    )


def _is_afternoon(known: str, said: Fact) -> bool:
    """ "Half past four" may be 16:30; "4:30 am" may not."""
    hour, minute = said.normal.split(":")
    vague = int(hour) < 12 and not re.search(
        r"[ap]\.?m|mor|manh|mañ|mat|ocht|vorm|sáng", said.text, re.IGNORECASE
    )
    return vague and known == f"{int(hour) + 12:02}:{minute}"


def _is_hour(quantity: Quantity, time: str) -> bool:
    """18h30 reads as a length of time too."""
    hour, minute = map(int, time.split(":"))
    if quantity.currency:
        return False
    if quantity.unit is not None and quantity.unit.name == "minute":
        return quantity.amounts[0] == 60 * hour + minute
    plain = quantity.unit is None or quantity.unit.name == "hour"
    return plain and minute == 0 and quantity.amounts[0] == hour


def _is_hour_of_half(quantity: Quantity, said: Fact) -> bool:
    """ "Eleven at night" is 23:00."""
    hour, minute = map(int, said.normal.split(":"))
    bare = quantity.unit is None and not quantity.currency and quantity.spelled
    return bare and minute == 0 and quantity.amounts[0] == hour - 12


def _same_phone(one: str, other: str) -> bool:
    one, other = one.lstrip("0"), other.lstrip("0")
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < 7:
        return shorter == longer
    return (
        longer.endswith(shorter)
        or (longer[: -len(shorter)] + shorter == longer)
        or longer.replace("0", "", 1).endswith(shorter)
    )


def _amounts_agree(known: Quantity, said: Quantity, around: Context) -> bool:
    if said.per and said.per != known.per and said.per not in around.units:
        return False
    if said.per and known.per and said.per != known.per:
        return False
    factor = _factor(known, said, around)
    if factor is None:
        return False
    return any(
        _same_amount(have * factor, say, known, said) for have in known.amounts for say in said.amounts
    )


def _factor(known: Quantity, said: Quantity, around: Context) -> float | None:
    """What to multiply a known amount with to have it in the said unit; None where the two don't compare."""
    if said.currency or known.currency:
        return _money_factor(known, said, around)
    if said.unit is None:
        return _bare_factor(known, said, around)
    if known.unit is None:
        near = said.unit.name in around.units or said.unit.counted
        return 1.0 if not known.noun and near and said.unit.family != "percent" else None
    return _unit_factor(known.unit, said.unit)


def _money_factor(known: Quantity, said: Quantity, around: Context) -> float | None:
    if said.currency and known.currency:
        same = said.currency == known.currency or "cents" in (said.currency, known.currency)
        return 1.0 if same else None
    if said.currency:
        return 1.0 if said.currency in around.currencies and known.unit is None else None
    return 1.0 if said.unit is None and (not said.noun or said.noun in around.stems) else None


def _bare_factor(known: Quantity, said: Quantity, around: Context) -> float | None:
    if known.unit is None:
        return 1.0
    if known.unit.counted:
        return 1.0
    aged = known.unit.name == "year" and bool(said.bound)
    return 1.0 if not said.noun or said.noun == known.noun or aged else None


def _unit_factor(known: Unit, said: Unit) -> float | None:
    if known.name == said.name:
        return 1.0
    if known.counted or said.counted:
        people = said.name == "person" and known.family in _PEOPLE
        return 1.0 if known.family == said.family or people else None
    if known.family == said.family:
        return known.factor / said.factor
    return _across(known, said)


_PEOPLE = frozenset(("user", "client", "student", "child", "visit"))
_DAY = BY_NAME["day"].factor


def _across(known: Unit, said: Unit) -> float | None:
    """Working days to weeks, days to months."""
    if known.family == "work" and said.name in ("day", "week", "fortnight"):
        return {"day": 1.0, "week": 1 / 5, "fortnight": 1 / 10}[said.name]
    if said.family == "work" and known.name in ("week", "fortnight"):
        return {"week": 5.0, "fortnight": 10.0}[known.name]
    if known.family == "time" and said.family == "months":
        return known.factor / (30.4 * _DAY) / said.factor
    if known.family == "months" and said.family == "time":
        return known.factor * 30.4 * _DAY / said.factor
    return None


_NEAR = 0.015
_FAR = 0.1
_FAR_ON_ONE_SIDE = 0.2


def _same_amount(have: float, say: float, known: Quantity, said: Quantity) -> bool:
    if isclose(have, say, rel_tol=1e-9):
        return _bounds_agree(known.bound, said.bound)
    if said.noun and bool(known.currency) != bool(said.currency):
        return False
    if isclose(have, say, rel_tol=_tolerance(known, said)):
        return True
    if (
        said.spelled
        and said.unit is BY_NAME["percent"]
        and known.unit is said.unit
        and abs(have - say) <= (1 if say == int(say) else 3)
    ):
        return True
    return bool(said.bound) and _is_rounded(have, say, said.bound)


def _tolerance(known: Quantity, said: Quantity) -> float:
    """A mile is 1.6 km, 60 days are two months, six weeks "a month and a half"."""
    if known.unit is None or said.unit is None or known.unit.name == said.unit.name:
        return 0.0
    if {known.unit.family, said.unit.family} == {"time", "months"}:
        return 0.1 if said.bound or (said.spelled and said.amounts[0] % 1) else 0.02
    return _NEAR if said.unit.family in ("length", "mass", "volume") else 0.0


def _bounds_agree(known: str, said: str) -> bool:
    """ "More than" and "at most" turn round what is known; "over 20" is no more than 20."""
    if known == said or said in ("", "about"):
        return not (said == "" and known in ("under",))
    upper, lower = {"under", "most", "nearly"}, {"over", "least"}
    if (known in upper and said in lower) or (known in lower and said in upper):
        return False
    return not (said in ("over", "under") and known in ("", "about"))


def _is_rounded(have: float, say: float, bound: str) -> bool:
    """Is it a rounder number, on the side that the word before it claims?"""
    if have <= 0 or say <= 0:
        return False
    if bound in ("about", "nearly"):
        near = abs(have - say) <= _FAR * have and abs(have - say) <= _grain(say) * (
            0.55 if bound == "about" else 1
        )
        return near and _grain(say) > _grain(have) and (bound == "about" or say > have)
    side = (bound == "over" and say < have) or (bound == "under" and say > have)
    return side and abs(have - say) <= _FAR_ON_ONE_SIDE * have and _grain(say) > _grain(have)


def _grain(value: float) -> float:
    """The step that the number looks rounded to: 1200 to 100, 150 to 50, 7.5 to 0.5."""
    step = 10.0 ** floor(log10(value))
    while step > 1e-6:
        for part in (step, step / 2, step / 4):
            if isclose(value / part, round(value / part), abs_tol=1e-9) and (
                part == step or round(value / part) % 2
            ):
                return part
        step /= 10
    return step


__all__ = [
    "NAMES",
    "VALUES",
    "Context",
    "Fact",
    "Kind",
    "context",
    "facts",
    "implies",
    "known_values",
    "plain_address",
]
