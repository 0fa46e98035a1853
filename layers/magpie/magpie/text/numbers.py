"""
Numbers as written: digits with any grouping, scales, words in eight languages, wide and Thai digits.

`1.200` has two readings, 1200 and 1.2; `1,200`, `1 200`, `1'200`, `1.2k`, `twelve hundred` all read as 1200.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from magpie.text.words import fold

DIGITS = (
    r"\d{1,3}(?:[ \u00a0\u202f\u2009'’]\d{3}){1,5}(?:[.,]\d{1,6})?(?!\d)"
    r"|\d{1,2}(?:,\d\d){1,4},\d{3}(?!\d)"
    r"|\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,6})?(?!\d)"
    r"|\d{1,3}(?:\.\d{3}){1,5}(?:,\d{1,6})?(?!\d)"
    r"|\d{1,15}(?:[.,]\d{1,9})?(?!\d)"
)
_GROUPING = re.compile(r"[ \u00a0\u202f\u2009'’]")
_CHINESE = dict(zip("〇零一二三四五六七八九两兩", (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 2), strict=True))
_CHINESE_SCALES = {
    "十": 10,
    "百": 100,
    "千": 1000,
    "万": 10_000,
    "萬": 10_000,
    "億": 100_000_000,
    "亿": 100_000_000,
}
CHINESE_NUMBER = r"[〇零一二三四五六七八九两兩十百千万萬億亿]{1,12}"

SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "tsd": 1e3,
    "tausend": 1e3,
    "mil": 1e3,
    "mille": 1e3,
    "mila": 1e3,
    "duizend": 1e3,
    "nghin": 1e3,
    "ngan": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "mm": 1e6,
    "mio": 1e6,
    "mln": 1e6,
    "million": 1e6,
    "millions": 1e6,
    "millionen": 1e6,
    "milhao": 1e6,
    "milhoes": 1e6,
    "millon": 1e6,
    "millones": 1e6,
    "milione": 1e6,
    "milioni": 1e6,
    "miljoen": 1e6,
    "trieu": 1e6,
    "mi": 1e6,
    "bn": 1e9,
    "billion": 1e9,
    "billions": 1e9,
    "mrd": 1e9,
    "milliarde": 1e9,
    "milliarden": 1e9,
    "milliard": 1e9,
    "milliards": 1e9,
    "miliardo": 1e9,
    "miliardi": 1e9,
    "miljard": 1e9,
    "bilhao": 1e9,
    "bilhoes": 1e9,
    "ty": 1e9,
    "lakh": 1e5,
    "crore": 1e7,
    "dozen": 12,
    "dozens": 12,
    "duzia": 12,
    "duzias": 12,
    "docena": 12,
    "docenas": 12,
    "dutzend": 12,
    "douzaine": 12,
    "dozzina": 12,
    "dozijn": 12,
}
WIDE_SCALES = {
    "万": 1e4,
    "萬": 1e4,
    "億": 1e8,
    "亿": 1e8,
    "千": 1e3,
    "百万": 1e6,
    "百萬": 1e6,
    "พัน": 1e3,
    "หมื่น": 1e4,
    "แสน": 1e5,
    "ล้าน": 1e6,
}

_WORDS = {
    "en": """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty thirty:30 forty:40 fifty:50 sixty:60 seventy:70 eighty:80 ninety:90
        hundred:100 thousand:1000 million:1000000""",
    "pt": """zero um:1 dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete
        dezoito dezenove vinte duas:2 quatorze:14 dezasseis:16 dezassete:17 dezanove:19 trinta:30 quarenta:40
        cinquenta:50 sessenta:60 setenta:70 oitenta:80 noventa:90 cem:100 cento:100 duzentos:200 duzentas:200
        trezentos:300 trezentas:300 quatrocentos:400 quatrocentas:400 quinhentos:500 quinhentas:500 seiscentos:600
        setecentos:700 oitocentos:800 novecentos:900 mil:1000 milhão:1000000 milhões:1000000""",
    "es": """cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis
        diecisiete dieciocho diecinueve veinte veintiuno:21 veintiún:21 veintidós:22 veintitrés:23 veinticuatro:24
        veinticinco:25 veintiséis:26 veintisiete:27 veintiocho:28 veintinueve:29 treinta:30 cuarenta:40 cincuenta:50
        sesenta:60 setenta:70 ochenta:80 noventa:90 cien:100 ciento:100 doscientos:200 doscientas:200 trescientos:300
        trescientas:300 cuatrocientos:400 quinientos:500 quinientas:500 seiscientos:600 setecientos:700 ochocientos:800
        novecientos:900 mil:1000 millón:1000000 millones:1000000""",
    "fr": """zéro un:1 deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept
        dix-huit dix-neuf vingt vingts:20 trente:30 quarante:40 cinquante:50 soixante:60 septante:70 huitante:80
        nonante:90 cent:100 cents:100 mille:1000 million:1000000 millions:1000000""",
    "de": """null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn
        siebzehn achtzehn neunzehn zwanzig dreißig:30 dreissig:30 vierzig:40 fünfzig:50 sechzig:60 siebzig:70 achtzig:80
        neunzig:90 hundert:100 tausend:1000 million:1000000 millionen:1000000""",
    "it": """zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
        diciassette diciotto diciannove venti trenta:30 quaranta:40 cinquanta:50 sessanta:60 settanta:70 ottanta:80
        novanta:90 cento:100 mille:1000 mila:1000 milione:1000000 milioni:1000000""",
    "nl": """nul één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien
        achttien negentien twintig dertig:30 veertig:40 vijftig:50 zestig:60 zeventig:70 tachtig:80 negentig:90
        honderd:100 duizend:1000 miljoen:1000000""",
    "vi": """_ một hai ba bốn năm sáu bảy tám chín mười tư:4 lăm:5 mốt:1 bẩy:7 mươi:10 trăm:100 nghìn:1000
        ngàn:1000 triệu:1000000""",
}
_UNITS_FIRST = {"de": ("und", "einund"), "nl": ("en", "eenen")}
_JOINING = {"en": "and", "pt": "e", "es": "y", "fr": "et", "de": "und", "it": "e", "nl": "en", "vi": "lẻ"}


def plain_digits(text: str) -> str:
    """Every decimal digit of any script as 0 to 9; the text keeps its length."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.digit(char)) if _is_foreign_digit(char) else char for char in text)


def _is_foreign_digit(char: str) -> bool:
    return not char.isascii() and unicodedata.category(char) == "Nd"


# How a language writes thousands; the mark that it uses for fractions is never one of them.
_THOUSANDS = {"en": ",", "pt": ".", "es": ".", "de": ".", "it": ".", "nl": ".", "vi": "."}


@lru_cache(maxsize=10_000)
def readings(written: str, language: str = "") -> tuple[float, ...]:
    """
    What digits may mean. Two readings where one group of three could be a fraction.

    In a language that writes thousands so, and where the fraction would be a bare 000, it is a group.
    """
    plain = _GROUPING.sub("", written)
    marks = [char for char in plain if char in ".,"]
    if not marks:
        return (float(plain),)
    if len(set(marks)) == 2:
        return (float(plain.replace("." if marks[-1] == "," else ",", "").replace(",", ".")),)
    whole, _, fraction = plain.rpartition(marks[0])
    joined = float(plain.replace(marks[0], ""))
    if len(marks) > 1:
        return (joined,)
    decimal = float(f"{whole}.{fraction}")
    grouped = len(fraction) == 3 and len(whole) <= 3 and not whole.startswith("0")
    if grouped and (fraction == "000" or _THOUSANDS.get(language) == marks[0]):
        return (joined,)
    return (joined, decimal) if grouped else (decimal,)


def _table(text: str, vietnamese: bool) -> dict[str, int]:
    entries = [word.partition(":") for word in text.split()]
    values = [(word, int(value) if value else place) for place, (word, _, value) in enumerate(entries)]
    # Vietnamese is read with its marks only: without them "lăm" (5) is "làm" (to do).
    return {
        form: value
        for word, value in values
        for form in ((word,) if vietnamese else (fold(word), word.casefold()))
    }


NUMBER_WORDS: dict[str, dict[str, int]] = {code: _table(text, code == "vi") for code, text in _WORDS.items()}

COUNTING_WORDS = frozenset(
    word
    for table in NUMBER_WORDS.values()
    for word, value in table.items()
    if 2 <= value < 100 and len(word) > 2
) - {"once", "due", "sei", "năm"}
"""Words that begin another number, and so end the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelled:
    """A number in words that covers `count` words."""

    value: float
    count: int


def spelled(words: list[str], language: str) -> Spelled | None:
    """
    The number that the words begin with, in this language.

    `words` are plain words in order; "twelve hundred" covers two. None where there is no number.
    """
    total, current, count, last = 0.0, 0.0, 0, 0.0
    index = 0
    while index < len(words):
        step = 1
        value = word_value(words[index], language)
        if value is None and count and _joins(words, index, language, current or total):
            step, value = 2, word_value(words[index + 1], language)
        if value is None or (count and not _continues(last, current, value, language)):
            break
        total, current = _added(total, current, value, last, language)
        last = value
        index += step
        count = index
    return Spelled(value=total + current, count=count) if count else None


def _joins(words: list[str], index: int, language: str, so_far: float) -> bool:
    if index + 1 >= len(words) or words[index].casefold() != _JOINING.get(language):
        return False
    following = word_value(words[index + 1], language)
    return following is not None and (
        so_far % 100 == 0 or (so_far % 10 == 0 and so_far >= 20 and following < 10)
    )


def _continues(last: float, current: float, value: float, language: str) -> bool:
    """May this number word follow that one within one number?"""
    if value >= 100:
        return last < value
    if language == "vi":
        return (value == 10 and last < 10) or (last >= 10 and value < 10) or last >= 100
    if language == "fr" and (last, value) in ((4, 20), (4, 80)):
        return True
    if language == "fr" and last in (60, 20) and 10 <= value < 20:
        return True
    return (
        last >= 100
        or (20 <= last < 100 and value < 10)
        or (language == "fr" and last == 10 and 7 <= value <= 9)
    )


def _added(total: float, current: float, value: float, last: float, language: str) -> tuple[float, float]:
    if value >= 1000:
        return total + max(current, 1) * value, 0.0
    if value == 100 and current < 100:
        return total, max(current, 1) * 100
    if language == "vi" and value == 10 and last and last < 10:
        return total, current - last + last * 10
    if language == "fr" and value == 20 and last == 4:
        return total, current - 4 + 80
    return total, current + value


@lru_cache(maxsize=20_000)
def word_value(word: str, language: str) -> float | None:
    """The value of one word, compounds ("zweiundzwanzig", "duecento") taken apart."""
    plain = word.casefold() if language == "vi" else fold(word)
    table = NUMBER_WORDS.get(language, {})
    if plain in table:
        return float(table[plain])
    if language in ("de", "nl", "it") and len(plain) > 5:
        return _compound(plain, language)
    return None


def _compound(word: str, language: str) -> float | None:
    for name, value in _big_parts(language):
        head, found, tail = word.partition(name)
        if found:
            return _times(head, tail, value, language)
    return _below_hundred(word, language)


def _big_parts(language: str) -> tuple[tuple[str, int], ...]:
    return {
        "de": (("tausend", 1000), ("hundert", 100)),
        "nl": (("duizend", 1000), ("honderd", 100)),
        "it": (("mila", 1000), ("mille", 1000), ("cento", 100)),
    }[language]


def _times(head: str, tail: str, value: int, language: str) -> float | None:
    factor = _part(head, language) if head else 1.0
    rest = _part(tail.removeprefix("und"), language) if tail else 0.0
    return None if factor is None or rest is None else factor * value + rest


def _part(word: str, language: str) -> float | None:
    if word in ("ein", "een"):
        return 1.0
    table = NUMBER_WORDS[language]
    return float(table[word]) if word in table else _compound(word, language)


def _below_hundred(word: str, language: str) -> float | None:
    return _compounds(language).get(word)


@lru_cache(maxsize=8)
def _compounds(language: str) -> dict[str, float]:
    table = NUMBER_WORDS[language]
    ones = {word: value for word, value in table.items() if 1 <= value <= 9}
    tens = {word: value for word, value in table.items() if 20 <= value < 100}
    if language == "it":
        return {_elided(ten, one) + one: float(tens[ten] + ones[one]) for ten in tens for one in ones}
    joining = "und" if language == "de" else "en"
    ones = {("ein" if word == "eins" else word): value for word, value in ones.items()}
    return {one + joining + ten: float(ones[one] + tens[ten]) for one in ones for ten in tens}


def _elided(ten: str, one: str) -> str:
    return ten[:-1] if one[0] in "uo" else ten


def chinese_value(written: str) -> float | None:
    """三千二百 is 3200; None for a lone 十千-like scale that counts nothing."""
    if all(char in _CHINESE for char in written):
        return float("".join(str(_CHINESE[char]) for char in written)) if len(written) < 2 else None
    total = section = digit = 0
    for char in written:
        if char in _CHINESE:
            digit = _CHINESE[char]
        elif _CHINESE_SCALES[char] >= 10_000:
            total, section, digit = (total + section + digit) * _CHINESE_SCALES[char], 0, 0
        else:
            section, digit = section + max(digit, 1) * _CHINESE_SCALES[char], 0
    return float(total + section + digit)
