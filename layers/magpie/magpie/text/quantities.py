"""
Amounts in a text: the number, its unit or currency, what it counts, per what, and how exact it claims to be.

Reads digits and words; "an hour and a half", "1 h 30", "two thirds of", "€2.5 million", "10 dias úteis", "10営業日".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from magpie.text.numbers import (
    CHINESE_NUMBER,
    COUNTING_WORDS,
    DIGITS,
    SCALES,
    WIDE_SCALES,
    chinese_value,
    readings,
    spelled,
    word_value,
)
from magpie.text.shapes import Shape
from magpie.text.units import (
    BY_NAME,
    CENTS,
    CURRENCIES,
    PER_WORDS,
    PERCENT_SIGNS,
    SQUARE,
    WIDE_UNITS,
    WORKING,
    Unit,
    unit_of,
    wide_prefix,
)
from magpie.text.words import ANY_FUNCTION_WORD, fold, stem

PERCENT = BY_NAME["percent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """
    `text[start:end]` says `amounts[0]` (or, ambiguously, another of them) of `unit`, `currency` or `noun`.

    `per` is a unit's name ("day" of a day rate). `bound`: `about`, `nearly`, `over`, `under`, `least`, `most`
    or nothing. `spelled`: written in words.
    """

    start: int
    end: int
    amounts: tuple[float, ...]
    unit: Unit | None = None
    currency: str = ""
    noun: str = ""
    per: str = ""
    bound: str = ""
    spelled: bool = False


_WIDE = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(
    rf"(?P<num>(?<![A-Za-z\d])(?:{DIGITS}))|(?P<zh>{CHINESE_NUMBER})|(?P<word>[^\W\d_{_WIDE}]+)|(?P<wide>[{_WIDE}]+?)(?=$|[^{_WIDE}]|[一二三四五六七八九十百千])"
    r"|(?P<sym>[^\w\s])"
)
_MONEY_BEFORE = re.compile(
    r"(?:(R\$|US\$|C\$|CA\$|A\$|S\$|MX\$|[£€$¥₫฿₹₩])|\b(EUR|USD|GBP|BRL|VND|THB|JPY|CNY|CHF|CAD|AUD|INR|SEK|NOK|DKK|PLN|SGD|MXN|Rs))\s?$",
    re.IGNORECASE,
)
_PERCENT_WORDS = re.compile(
    r"\s?(?:percentage points|pontos percentuais|puntos porcentuales|points de pourcentage|Prozentpunkte?n?)"
    r"|\s?(?:per\s?cent|por\s?ciento|por cento|pour cent|percento|per cento|Prozent|procent|phần trăm|pct)\b",
    re.IGNORECASE,
)
_BOUNDS = {
    "about": "about around roughly approximately approx some circa ca c aproximadamente aproximadamente cerca_de perto_de por_volta_de uns umas "
    "alrededor_de unos unas environ à_peu_près autour_de etwa rund ungefähr zirka ongeveer khoảng tầm circa more_or_less ~ ≈ 約 约 大约 ประมาณ",
    "nearly": "nearly almost close_to just_under quase casi près_de presque fast knapp beinahe quasi bijna gần",
    "over": "over more_than above beyond upwards_of exceeding exceeds just_over mais_de más_de más_del plus_de plus_du mais_do mais_da über mehr_als oltre più_di meer_dan ruim hơn trên > "
    "well_over in_excess_of acima_de older_than longer_than later_than higher_than larger_than bigger_than heavier_than farther_than further_than "
    "mais_velhos_de maiores_de mayores_de por_encima_de au-dessus_de plus_âgés_de âgés_de_plus_de älter_als länger_als später_als größer_als oberhalb_von "
    "sopra sopra_i al_di_sopra_di maggiori_di superiore_a superiori_a ouder_dan boven boven_de langer_dan groter_dan lớn_hơn cao_hơn nhiều_hơn vượt_quá acima_dos",
    "under": "under less_than fewer_than below menos_de menos_del moins_de moins_du unter weniger_als meno_di minder_dan dưới ít_hơn < abaixo_de inferior_a "
    "younger_than shorter_than earlier_than lower_than smaller_than lighter_than closer_than underneath sob menores_de por_debajo_de plus_jeunes_que âgés_de_moins_de "
    "au-dessous_de en_dessous_de jünger_als kürzer_als früher_als kleiner_als unterhalb_von sotto sotto_i al_di_sotto_di minori_di inferiori_a "
    "jonger_dan onder onder_de korter_dan kleiner_dan nhỏ_hơn thấp_hơn chưa_đến abaixo_dos",
    "least": "at_least a_minimum_of minimum_of no_fewer_than no_less_than not_less_than from pelo_menos ao_menos no_mínimo a_partir_de al_menos por_lo_menos como_mínimo au_moins mindestens ab "
    "almeno minstens minimaal ít_nhất tối_thiểu từ ≥ min desde à_partir_de dès starting_at vanaf not_under not_below no_earlier_than not_before "
    "no_sooner_than nicht_weniger_als no_menos_de pas_moins_de non_meno_di niet_minder_dan não_menos_de starts_at start_at",
    "most": "at_most up_to a_maximum_of maximum_of no_more_than not_more_than within até no_máximo hasta como_máximo au_plus jusqu'à au_maximum bis_zu "
    "höchstens maximal fino_a al_massimo hoogstens maximaal tot tối_đa ≤ max no_longer_than no_later_than no_further_than no_farther_than no_higher_than "
    "no_larger_than no_bigger_than no_over not_over not_above never_exceed never_exceeds not_exceed cannot_exceed limited_to capped_at not_exceeding "
    "never_more_than não_mais_de não_mais_do_que no_más_de pas_plus_de nicht_mehr_als non_più_di niet_meer_dan không_quá entro binnen innerhalb_von "
    "dentro_de innert jusqu’à não_ultrapassa_os não_excede_os",
}
_BOUND_OF: dict[str, str] = {
    phrase.replace("_", " "): kind for kind, text in _BOUNDS.items() for phrase in text.split()
}
_BOUND_WORDS_MAX = 4
_BOUND_AFTER = tuple(
    (
        re.compile(
            rf"[ \u00a0]?(?:[^\W\d_]+[ \u00a0]){{0,2}}?,?[ \u00a0]?(?:{pattern})(?!\w)(?! than| de | que | als | di | dan )",
            re.IGNORECASE,
        ),
        bound,
    )
    for pattern, bound in (
        (
            "(?:or|and) (?:more|over|above|older|longer|up|upwards)|at least|at the (?:very )?least|at the earliest|minimum|ou mais|no mínimo"
            "|(?:o|y) más|como mínimo|ou plus|au moins|au minimum|oder mehr|mindestens|und (?:mehr|älter)|o più|come minimo|of meer|trở lên",
            "least",
        ),
        (
            "(?:or|and) (?:less|fewer|under|below|younger|shorter)|at most|at the (?:very )?most|at the latest|maximum|tops|ou menos|no máximo|o menos"
            "|como máximo|ou moins|au plus|au maximum|oder weniger|höchstens|und jünger|o meno|al massimo|of minder|trở xuống",
            "most",
        ),
    )
)
_BEFORE_NUMBERS = frozenset(
    (
        "the",
        "a",
        "of",
        "de",
        "os",
        "as",
        "los",
        "las",
        "les",
        "i",
        "gli",
        "le",
        "der",
        "den",
        "die",
        "het",
        "age",
    )
)
_EXTREME = re.compile(
    r"(?<!\w)(minimum|mindest\w+|m[ií]nim[ao]|minimale?|maximum|höchst\w+|m[áa]xim[ao]|maximale?|massim[ao])\s[^.;:,()\d]{0,30}$"
)
_WORDS_BEFORE = re.compile(r"[^\s()]+")
_GAP = re.compile(r"\s*(?:,|and|e|y|et|und|en)?\s*", re.IGNORECASE)

_ONE = r"(?:an?|one|uma?|una?|une?|eine[mnr]?|einer|een|één|một|1)"
_HALF_AFTER = Shape(
    r"(?<!\w)(?P<count>[^\W\d_]+|\d{1,3})[ '’](?P<unit>[^\W\d_]+)\s(?:and a half|e meia|e meio|y media|y medio|et demie?|e mezz[ao]|rưỡi)(?!\w)",
    re.IGNORECASE,
)
_COUNT_HALF = Shape(
    r"(?<!\w)(?P<count>[^\W\d_]+|\d{1,3})\s(?:and a half|e meia?o?|y media?o?|et demie?|e mezzo)[\s-](?P<unit>[^\W\d_]+)(?!\w)",
    re.IGNORECASE,
)
_ONE_HALF = Shape(r"(?<!\w)(?:anderthalb|eineinhalb|anderhalve?)\s(?P<unit>[^\W\d_]+)(?!\w)", re.IGNORECASE)
_COMPOUND_HALF = Shape(
    r"(?<!\w)(?P<count>zwei|drei|vier|fünf|sechs|twee|drie|vijf|zes)(?:einhalb|ënhalve?|enhalve?)\s(?P<unit>[^\W\d_]+)(?!\w)",
    re.IGNORECASE,
)
_HALF = Shape(
    r"(?<!\w)(?:half\s(?:an?\s)?|half-|meia\s|meio\s|media\s|medio\s|demi-|demie-|halbe[nsr]?\s|mezz['’]|mezza\s|mezzo\s|halve\s|nửa\s)(?P<unit>[^\W\d_]+)(?!\w)",
    re.IGNORECASE,
)
_CLOCK_LENGTH = Shape(
    r"(?<![\w.,])(?P<hours>\d{1,2})\s?(?:h|hrs?)\s?(?P<minutes>[0-5]\d)(?:\s?(?:min|m))?(?!\w)", re.IGNORECASE
)
_QUARTERS = Shape(r"(?<!\w)(?:(?P<three>three[\s-]quarters)|a quarter) of an hour", re.IGNORECASE)
_FRACTIONS = tuple(
    (Shape(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE), value)
    for pattern, value in (
        (
            r"two[\s-]thirds|dois terços|dos tercios|deux tiers|zwei Drittel|due terzi|twee derde|hai phần ba",
            200 / 3,
        ),
        (
            r"three[\s-]quarters(?! of an)|três quartos|tres cuartos|trois quarts|drei Viertel|tre quarti|driekwart",
            75.0,
        ),
        (
            r"(?:a|one)[\s-]third|um terço|un tercio|un tiers|ein Drittel|un terzo|een derde|một phần ba",
            100 / 3,
        ),
        (
            r"(?:a|one)[\s-]quarter(?! of an)|um quarto d[aeo]s?|un cuarto de|un quart d|ein Viertel|un quarto d\w+|een kwart|một phần tư",
            25.0,
        ),
        (r"(?:a|one)[\s-]fifth|um quinto|un quinto|un cinquième|ein Fünftel|een vijfde", 20.0),
        (
            r"(?<!first )(?<!second )(?<!other )(?<!latter )(?<!1st )(?<!2nd )half (?:of|the|our|its|their)|(?:by|in) half|half (?:that|as much)|halved|"
            r"(?<!primeira )(?<!segunda )(?:(?:a|pela) )?metade(?: d\w+)?|(?<!primera )(?<!segunda )(?:la|a la) mitad(?: de)?|(?<!première )(?<!seconde )(?:la|de) moitié(?: d\w*)?|"
            r"(?<!erste )(?<!zweite )die Hälfte|halbiert|(?<!prima )(?<!seconda )(?:la|della) metà(?: d\w+)?|de helft|gehalveerd|một nửa",
            50.0,
        ),
        (
            r"(?:a|one)[\s-]tenth|(?:um|uma) d[ée]cim[oa](?: parte)?|(?:un|una) décim[oa](?: parte)?|un dixième|ein(?: |em )?Zehntel|un decimo|een tiende|một phần mười",
            10.0,
        ),
        (
            r"(?:a|one)[\s-]eighth|um oitavo|un octavo|un huitième|ein Achtel|un ottavo|een achtste|một phần tám",
            12.5,
        ),
        (
            r"(?:a|one)[\s-]sixth|um sexto|un sexto|un sixième|ein Sechstel|un sesto|een zesde|một phần sáu",
            100 / 6,
        ),
        (
            r"two[\s-]fifths|dois quintos|dos quintos|deux cinquièmes|zwei Fünftel|due quinti|twee vijfde",
            40.0,
        ),
        (
            r"three[\s-]fifths|três quintos|tres quintos|trois cinquièmes|drei Fünftel|tre quinti|drie vijfde",
            60.0,
        ),
        (
            r"four[\s-]fifths|quatro quintos|cuatro quintos|quatre cinquièmes|vier Fünftel|quattro quinti|vier vijfde",
            80.0,
        ),
    )
)
# What any of the forms above needs: where none is there, none of them is tried.
_SPECIAL = re.compile(
    r"twice|thrice|mal|hal[fbv]|hälf|tenth|d[ée]cim|dix|zehnt|tiend|eighth|oitav|octav|huit|achte|ottav|achts|sext|sixth|sixi|sechs|sest|zesd|mei[ao]|medi[ao]|demi|mezz|nửa|rưỡi|quart|\dh|\d h|third|ter[çcz]|tiers|dritte|derde|viert|cuart|kwart|fifth|quint|cinqu"
    r"|fünft|vijf|metad|mitad|moiti|hälf|metà|helft|phần| in | of | cada | sur | su ",
    re.IGNORECASE,
)
_TWICE = Shape(
    r"(?<!\w)(?:(?P<two>twice|zweimal|tweemaal)|(?P<three>thrice|dreimal|driemaal)|(?P<four>viermal|viermaal))(?!\w)",
    re.IGNORECASE,
)
_OUT_OF = Shape(
    r"(?<![\w.,])(?P<part>[^\W\d_]+|\d{1,3})\s(?:in|out of|in every|em cada|de cada|em|sur|su|von|van de|op de|trong)\s(?P<whole>ten|five|four|three|hundred|10|5|4|3|100|dez|diez|dix|dieci|zehn|tien|cinco|cinq|cinque|fünf|vijf|quatro|cuatro|quatre|quattro|vier|três|tres|trois|tre|drei|drie)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def quantities(text: str, language: str, *, generous: bool = False) -> tuple[Quantity, ...]:
    """
    All amounts, in order, none within another. `text` has plain digits; dates and addresses are blanked out.

    `generous` also counts "a week" as one week: for evidence, where a reading more can do no harm.
    """
    special = _without_overlaps(tuple(_special(text, language))) if _SPECIAL.search(text) else ()
    rest = _blank(text, special)
    found = sorted((*special, *_scan(rest, language, generous)), key=lambda quantity: quantity.start)
    return _merged(text, tuple(found))


def _blank(text: str, found: tuple[Quantity, ...]) -> str:
    for quantity in found:
        text = text[: quantity.start] + " " * (quantity.end - quantity.start) + text[quantity.end :]
    return text


def _without_overlaps(found: tuple[Quantity, ...]) -> tuple[Quantity, ...]:
    kept: list[Quantity] = []
    for quantity in found:
        if all(quantity.end <= other.start or quantity.start >= other.end for other in kept):
            kept.append(quantity)
    return tuple(kept)


# --- Halves and fractions -----------------------------------------------------------------------


def _special(text: str, language: str) -> Iterator[Quantity]:
    for match in _CLOCK_LENGTH.finditer(text):
        yield _of(match, text, int(match["hours"]) * 60 + int(match["minutes"]), BY_NAME["minute"])
    for pattern in (_COUNT_HALF, _HALF_AFTER, _COMPOUND_HALF):
        for match in pattern.finditer(text):
            yield from _halved(match, text, language)
    for pattern, amount in ((_ONE_HALF, 1.5), (_HALF, 0.5)):
        for match in pattern.finditer(text):
            unit = _time_unit(match["unit"])
            if unit:
                yield _of(match, text, amount, unit)
    for match in _TWICE.finditer(text):
        yield _of(match, text, 2 if match["two"] else 3 if match["three"] else 4, BY_NAME["times"])
    for match in _QUARTERS.finditer(text):
        yield _of(match, text, 45.0 if match["three"] else 15.0, BY_NAME["minute"])
    yield from _shares(text, language)


def _shares(text: str, language: str) -> Iterator[Quantity]:
    for pattern, percent in _FRACTIONS:
        for match in pattern.finditer(text):
            yield _roughly(_of(match, text, percent, PERCENT))
    for match in _OUT_OF.finditer(text):
        part, whole = _count(match["part"], language), _count(match["whole"], language)
        if part and whole and part < whole:
            yield _roughly(_of(match, text, 100 * part / whole, PERCENT))


def _roughly(quantity: Quantity) -> Quantity:
    """Nobody who says "nine out of ten" claims 90.0 %."""
    return quantity if quantity.bound else replace(quantity, bound="about")


def _halved(match: re.Match[str], text: str, language: str) -> Iterator[Quantity]:
    count, unit = _count(match["count"], language), _time_unit(match["unit"])
    if count is not None and unit:
        yield _of(match, text, count + 0.5, unit)


def _count(word: str, language: str) -> float | None:
    if word.isdigit():
        return float(word)
    if re.fullmatch(_ONE, word, re.IGNORECASE):
        return 1.0
    return word_value(word, language)


def _time_unit(word: str) -> Unit | None:
    unit = unit_of(word)
    return unit if unit and unit.family in ("time", "months") else None


def _of(match: re.Match[str], text: str, amount: float, unit: Unit) -> Quantity:
    return Quantity(
        start=match.start(),
        end=match.end(),
        amounts=(float(amount),),
        unit=unit,
        bound=_bound_before(text, match.start()),
        spelled=True,
    )


# --- Numbers one after the other ----------------------------------------------------------------


def _scan(text: str, language: str, generous: bool) -> Iterator[Quantity]:
    tokens = [
        _Token(str(match.lastgroup), match[0], match.start(), match.end()) for match in _TOKEN.finditer(text)
    ]
    index = 0
    while index < len(tokens):
        found = _number_at(text, tokens, index, language, generous)
        if found is None:
            index += 1
            continue
        quantity, index = _dressed(text, tokens, *found)
        yield quantity


def _number_at(
    text: str, tokens: list[_Token], index: int, language: str, generous: bool
) -> tuple[Quantity, int] | None:
    token = tokens[index]
    if token.kind == "num":
        return Quantity(start=token.start, end=token.end, amounts=readings(token.text, language)), index + 1
    if token.kind == "zh":
        return _chinese_at(text, token, index)
    return _words_at(text, tokens, index, language, generous) if token.kind == "word" else None


def _chinese_at(text: str, token: _Token, index: int) -> tuple[Quantity, int] | None:
    value = chinese_value(token.text)
    if value is None or wide_prefix(text[token.end : token.end + 8], WIDE_UNITS) is None:
        return None
    return Quantity(start=token.start, end=token.end, amounts=(value,), spelled=True), index + 1


def _words_at(
    text: str, tokens: list[_Token], index: int, language: str, generous: bool
) -> tuple[Quantity, int] | None:
    word = tokens[index].text
    if word_value(word, language) is None:
        return _article_at(tokens, index) if generous else None
    run = _word_run(tokens, index)
    number = spelled([tokens[place].text for place in run], language)
    if number is None or not _stands(tokens, run, number.count, number.value, language):
        return None
    last = run[number.count - 1]
    return Quantity(
        start=tokens[index].start, end=tokens[last].end, amounts=(number.value,), spelled=True
    ), last + 1


def _word_run(tokens: list[_Token], index: int) -> list[int]:
    """The places of the words from here, hyphens skipped, up to anything else."""
    run: list[int] = []
    while index < len(tokens) and len(run) < 12:
        if tokens[index].kind == "word":
            run.append(index)
        elif tokens[index].text != "-":
            break
        index += 1
    return run


def _stands(tokens: list[_Token], run: list[int], count: int, value: float, language: str) -> bool:
    """Is it meant as a number? "one" and its like only before a measure; "once" (11) and "năm" (5) need a unit."""
    word = tokens[run[0]].text
    following = tokens[run[count]].text if count < len(run) else ""
    if value == 1 or (count == 1 and word.casefold() in ("once", "năm", "sei", "ba", "tư")):
        unit = unit_of(following)
        clear = value != 1 or (language == "en" and word.casefold() == "one")
        return clear and unit is not None and (value != 1 or not unit.counted)
    if count == 1 and value in (100, 1000) and language in ("fr", "it", "es", "pt"):
        return bool(following)
    return value not in (0,)


def _article_at(tokens: list[_Token], index: int) -> tuple[Quantity, int] | None:
    token = tokens[index]
    following = tokens[index + 1].text if index + 1 < len(tokens) else ""
    if re.fullmatch(_ONE, token.text, re.IGNORECASE) and _time_unit(following):
        return Quantity(start=token.start, end=token.end, amounts=(1.0,), spelled=True), index + 1
    return None


def _dressed(text: str, tokens: list[_Token], quantity: Quantity, index: int) -> tuple[Quantity, int]:
    """The quantity with scale, currency, unit, period and bound, and the place after it."""
    before = _MONEY_BEFORE.search(text[max(0, quantity.start - 6) : quantity.start])
    currency = _currency(before) if before else ""
    start = quantity.start - (len(before[0]) if before else 0)
    quantity = replace(quantity, currency=currency, bound=_bound_before(text, start))
    quantity, index = _scaled(text, tokens, quantity, index)
    quantity, index = _with_unit(text, tokens, quantity, index)
    quantity, index = _with_period(tokens, quantity, index)
    if quantity.noun and quantity.unit is None and not quantity.per:
        quantity = _with_period_of_noun(tokens, quantity, index)
    quantity = replace(quantity, bound=quantity.bound or _bound_after(text, quantity.end))
    if index < len(tokens) and tokens[index].text == "+" and tokens[index].start - quantity.end <= 1:
        quantity = replace(quantity, bound="over")
    return quantity, index


def _currency(match: re.Match[str]) -> str:
    return CURRENCIES.get((match[1] or match[2]).casefold(), "")


def _bound_before(text: str, start: int) -> str:
    before = text[max(0, start - 40) : start].casefold()
    sign = before.rstrip()[-1:]
    if sign in _BOUND_OF and sign and not sign.isalnum():
        return _BOUND_OF[sign]
    if before[-1:] in ("約", "约"):
        return "about"
    words = _WORDS_BEFORE.findall(before)
    for count in range(min(_BOUND_WORDS_MAX, len(words)), 0, -1):
        phrase = " ".join(words[-count:])
        if phrase in _BOUND_OF:
            return _BOUND_OF[phrase]
    extreme = _EXTREME.search(before)
    if extreme:
        return "least" if extreme[1].startswith("m") and not extreme[1].startswith("max") else "most"
    return (
        _BOUND_OF.get(" ".join(words[-3:-1]), "") or _BOUND_OF.get(words[-2] if len(words) > 1 else "", "")
        if words and words[-1] in _BEFORE_NUMBERS
        else ""
    )


def _bound_after(text: str, end: int) -> str:
    """ "512 MB or more", "90 seconds at the earliest"."""
    return next((bound for pattern, bound in _BOUND_AFTER if pattern.match(text, end, end + 60)), "")


def _scaled(text: str, tokens: list[_Token], quantity: Quantity, index: int) -> tuple[Quantity, int]:
    if index >= len(tokens):
        return quantity, index
    token = tokens[index]
    if token.kind in ("wide", "zh"):
        return _wide_scaled(text, tokens, quantity, index)
    scale = _scale(token, quantity)
    if not scale:
        return quantity, index
    return replace(
        quantity, amounts=tuple(amount * scale for amount in quantity.amounts), end=token.end
    ), index + 1


def _scale(token: _Token, quantity: Quantity) -> float:
    name = fold(token.text)
    attached = token.start == quantity.end
    if name in ("m", "mm", "k", "mi"):
        fits = (attached and (quantity.currency or token.text in ("M", "k", "K"))) or (
            name == "mi" and quantity.currency
        )
        return SCALES[name] if fits else 0.0
    return (
        SCALES.get(name, 0.0)
        if (token.kind == "word" and name != "ty") or token.text.casefold() == "tỷ"
        else 0.0
    )


def _wide_scaled(text: str, tokens: list[_Token], quantity: Quantity, index: int) -> tuple[Quantity, int]:
    for name in sorted(WIDE_SCALES, key=len, reverse=True):
        if text.startswith(name, quantity.end):
            amounts = tuple(amount * WIDE_SCALES[name] for amount in quantity.amounts)
            return replace(quantity, amounts=amounts, end=quantity.end + len(name)), index
    return quantity, index


def _with_unit(text: str, tokens: list[_Token], quantity: Quantity, index: int) -> tuple[Quantity, int]:
    percent = _PERCENT_WORDS.match(text, quantity.end)
    following = text[quantity.end : quantity.end + 2].lstrip()
    if percent or (following[:1] in PERCENT_SIGNS and following):
        return _as_percent(tokens, quantity, index, percent)
    yen = text[quantity.end : quantity.end + 1]
    if yen in ("円", "元"):
        return replace(quantity, currency=CURRENCIES[yen], end=quantity.end + 1), index + 1
    wide = wide_prefix(text[quantity.end : quantity.end + 9].lstrip(" "), WIDE_UNITS)
    if wide:
        return replace(quantity, unit=wide[1], end=text.find(wide[0], quantity.end) + len(wide[0])), index + 1
    return _with_word_unit(text, tokens, quantity, index)


def _as_percent(
    tokens: list[_Token], quantity: Quantity, index: int, words: re.Match[str] | None
) -> tuple[Quantity, int]:
    end = words.end() if words else quantity.end + 1
    point = bool(
        (words and "p" in words[0].casefold() and "oint" in words[0].casefold())
        or (words and "punk" in words[0].casefold())
    )
    while index < len(tokens) and tokens[index].start < end:
        index += 1
    unit = BY_NAME["point"] if point else PERCENT
    return replace(quantity, unit=unit, end=max(end, tokens[index - 1].end)), index


def _with_word_unit(text: str, tokens: list[_Token], quantity: Quantity, index: int) -> tuple[Quantity, int]:
    place, seen, noun = index, 0, ""
    while place < len(tokens) and seen < 3:
        token = tokens[place]
        name = token.text.casefold()
        if (
            token.kind == "sym"
            and token.text in CURRENCIES
            and place == index
            and not text[token.end : token.end + 1].isdigit()
        ):
            return replace(
                quantity, currency=quantity.currency or CURRENCIES[token.text], end=token.end
            ), place + 1
        if (
            token.kind == "sym"
            and token.text in "-–*'’"
            and not text[tokens[place].end : tokens[place].end + 1].isspace()
        ):
            place += 1
            continue
        if (
            token.kind != "word"
            or name in COUNTING_WORDS
            or "\n" in text[quantity.end : token.start]
            or token.start - quantity.end > 40
        ):
            break
        found = _unit_at(tokens, place, quantity, seen)
        if found:
            return found
        if name in ANY_FUNCTION_WORD and not (name in ("de", "of", "di", "d") and not noun):
            break
        noun = noun or (stem(token.text) if name not in ANY_FUNCTION_WORD else "")
        seen += 1
        place += 1
    return replace(quantity, noun=noun), index


def _unit_at(tokens: list[_Token], place: int, quantity: Quantity, seen: int) -> tuple[Quantity, int] | None:
    token = tokens[place]
    name = plain = token.text.casefold()
    currency = CURRENCIES.get(name)
    if currency and not quantity.currency and (seen <= 1 or len(plain) > 3):
        return replace(quantity, currency=currency, end=token.end), place + 1
    if plain in CENTS and not seen and (plain != "p" or token.start == quantity.end):
        amounts = tuple(amount / 100 for amount in quantity.amounts)
        return replace(quantity, currency=CENTS[plain] or "cents", amounts=amounts, end=token.end), place + 1
    unit = unit_of(name)
    if plain in ("h", "d", "s") and token.start == quantity.end:
        unit = BY_NAME[{"h": "hour", "d": "day", "s": "second"}[plain]]
    if token.text == "m" and not seen:
        unit = BY_NAME["metre"]
    if unit is None or quantity.currency or (name in ("an", "ore", "ton", "mal", "tag") and seen):
        return None
    return _worked(tokens, place, replace(quantity, unit=unit, noun=stem(token.text), end=token.end))


def _worked(tokens: list[_Token], place: int, quantity: Quantity) -> tuple[Quantity, int]:
    """A day beside "working" is a working day."""
    around = {place - 1, place + 1}
    working = any(0 <= other < len(tokens) and fold(tokens[other].text) in WORKING for other in around)
    square = any(0 <= other < len(tokens) and tokens[other].text.casefold() in SQUARE for other in around)
    if quantity.unit is BY_NAME["day"] and working:
        quantity = replace(quantity, unit=BY_NAME["workday"])
    if quantity.unit is BY_NAME["metre"] and square:
        quantity = replace(quantity, unit=BY_NAME["sqm"])
    return quantity, place + 1


def _with_period(tokens: list[_Token], quantity: Quantity, index: int) -> tuple[Quantity, int]:
    """What "per day", "a month", "/h", "por hora" adds."""
    for skip in (1, 2):
        if (
            index + skip < len(tokens)
            and tokens[index].text.casefold() in PER_WORDS
            and tokens[index].start - quantity.end <= 2
        ):
            word = tokens[index + skip].text
            unit = unit_of(word) or (BY_NAME["hour"] if word == "h" else None)
            between = tokens[index + skip - 1]
            if skip == 2 and between.kind != "word":
                continue
            if unit is BY_NAME["kw"] and tokens[index + skip + 1 : index + skip + 2]:
                hours = unit_of(tokens[index + skip + 1].text)
                unit, skip = (BY_NAME["kwh"], skip + 1) if hours is BY_NAME["hour"] else (unit, skip)
            if unit and unit.family != "percent" and not _is_moved(tokens, index + skip):
                return replace(quantity, per=unit.name, end=tokens[index + skip].end), index + skip + 1
    return quantity, index


def _with_period_of_noun(tokens: list[_Token], quantity: Quantity, index: int) -> Quantity:
    """ "600 loaves a day": the period stands behind what is counted."""
    for place in range(index, min(index + 3, len(tokens))):
        if tokens[place].kind != "word":
            break
        if stem(tokens[place].text) == quantity.noun:
            following, _ = _with_period(tokens, replace(quantity, end=tokens[place].end), place + 1)
            return replace(quantity, per=following.per)
    return quantity


_MOVED = frozenset(
    (
        "later",
        "earlier",
        "ago",
        "before",
        "after",
        "on",
        "depois",
        "antes",
        "después",
        "plus",
        "später",
        "früher",
        "dopo",
        "prima",
        "later",
        "eerder",
        "sau",
    )
)


def _is_moved(tokens: list[_Token], place: int) -> bool:
    """ "218,000 a year later" is no yearly amount."""
    return place + 1 < len(tokens) and tokens[place + 1].text.casefold() in _MOVED


def _merged(text: str, found: tuple[Quantity, ...]) -> tuple[Quantity, ...]:
    """Ranges lend their unit backwards; "1 hour 30 minutes" becomes one amount."""
    merged: list[Quantity] = []
    for quantity in found:
        previous = merged[-1] if merged else None
        if previous and _is_range(text, previous, quantity):
            merged[-1] = replace(
                previous,
                bound="" if previous.bound == "least" else previous.bound,
                unit=previous.unit or quantity.unit,
                currency=previous.currency or quantity.currency,
                noun=previous.noun or quantity.noun,
                per=previous.per or quantity.per,
            )
            lent = quantity.currency or ("" if quantity.unit else previous.currency)
            merged.append(replace(quantity, currency=lent))
        elif previous and _adds_up(text, previous, quantity):
            merged[-1] = _sum(previous, quantity)
        else:
            merged.append(quantity)
    return tuple(merged)


_RANGE_GAP = re.compile(
    r"\s*(?:[-–—]|to|and|or|a|até|y|o|e|ou|à|et|bis|und|oder|tot|en|of|đến)\s*[£€$¥]?\s*(?:R\$|US\$)?\s*",
    re.IGNORECASE,
)


def _is_range(text: str, first: Quantity, second: Quantity) -> bool:
    gap = text[first.end : second.start]
    money = first.currency and second.unit is None and second.currency in ("", first.currency)
    bare = (first.unit is None and not first.noun and not first.currency) or money
    return bool(bare and len(gap) < 12 and gap.strip() and _RANGE_GAP.fullmatch(gap))


def _adds_up(text: str, first: Quantity, second: Quantity) -> bool:
    if first.unit is None or second.unit is None or first.unit.family != second.unit.family:
        return False
    if second.spelled and second.amounts == (1.0,):
        return False
    gap = text[first.end : second.start]
    whole = not first.amounts[0] % 1
    smaller = whole and second.unit.factor < first.unit.factor and first.unit.family in ("time", "months")
    return smaller and len(gap) < 8 and bool(_GAP.fullmatch(gap))


def _sum(first: Quantity, second: Quantity) -> Quantity:
    assert first.unit and second.unit
    amount = first.amounts[0] + second.amounts[0] * second.unit.factor / first.unit.factor
    return replace(first, amounts=(amount,), end=second.end)
