"""
Places in an order, as written: "second", "5th", "3ª", "XIX", "dritte", "lần thứ hai"; and decades, "the 1990s".

"Second" is a measure of time too, "segundo" and "secondo" mean "according to": only where a noun follows do
they count.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from magpie.text.shapes import Shape
from magpie.text.words import ANY_FUNCTION_WORD, fold, stem


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordinal:
    """`text[start:end]` is the `value`th `noun` (a stem); or the decade or century that begins with `year`."""

    start: int
    end: int
    value: int = 0
    noun: str = ""
    year: int = 0
    roman: bool = False


_FORMS = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first",
    "pt": "primeir[oa] segund[oa] terceir[oa] quart[oa] quint[oa] sext[oa] sétim[oa] oitav[oa] non[oa] décim[oa]",
    "es": "primer[oa]? segund[oa] tercer[oa]? cuart[oa] quint[oa] sext[oa] séptim[oa] octav[oa] noven[oa] décim[oa]",
    "fr": "premi(?:er|ère) (?:deuxième|seconde?) troisième quatrième cinquième sixième septième huitième neuvième dixième",
    "de": "erste[nrms]? zweite[nrms]? dritte[nrms]? vierte[nrms]? fünfte[nrms]? sechste[nrms]? siebte[nrms]? achte[nrms]? neunte[nrms]? zehnte[nrms]?",
    "it": "prim[oa] second[oa] terz[oa] quart[oa] quint[oa] sest[oa] settim[oa] ottav[oa] non[oa] decim[oa]",
    "nl": "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende",
}
_WORDS = {
    code: tuple(
        (Shape(rf"(?<![\w-]){form}(?![\w-])", re.IGNORECASE), place)
        for place, form in enumerate(text.split(), start=1)
    )
    for code, text in _FORMS.items()
}
_ANY_WORD = {
    code: Shape(rf"(?<![\w-])(?:{'|'.join(text.split())})(?![\w-])", re.IGNORECASE)
    for code, text in _FORMS.items()
}
_DIGITS = re.compile(
    r"(?<![\w.,/-])(?P<place>\d{1,3})(?:st|nd|rd|th|[ºª]|er|ère|[eè]me|ème)(?!\w)", re.IGNORECASE
)
_GERMAN = Shape(r"(?<![\w.,/-])(?P<place>\d{1,3})\. (?=[A-ZÄÖÜ][a-zäöü]{3,})")
_VIETNAMESE = Shape(
    r"(?:lần|tầng|thế hệ|người|bước|giai đoạn|khóa|tháng)\s+thứ\s+(?P<place>nhất|hai|ba|tư|năm|sáu|bảy|tám|chín|mười)(?!\w)",
    re.IGNORECASE,
)
_VIETNAMESE_PLACES = ("nhất", "hai", "ba", "tư", "năm", "sáu", "bảy", "tám", "chín", "mười")
_ROMAN = re.compile(
    r"(?<![\w.-])(?:(?P<after>(?:siglo|século|siècle|secolo|thế kỷ)\s)?(?P<roman>X{0,3}(?:IX|IV|V?I{0,3}))(?:e|ème)?)(?![\w'’-]|\.\w)"
)
_DECADE = re.compile(r"(?<![\w.,/:-])(?P<year>1[5-9]\d0|20\d0)['’]?s(?!\w)")
_VALUES = {"I": 1, "V": 5, "X": 10}
_NO_ORDINAL_BEFORE = re.compile(
    r"(?:\b(?:half a|per|every|each|split|one|cada|por|ogni|par|elke)|\d)\s?$", re.IGNORECASE
)
_BEFORE = re.compile(r"([^\W\d_]+)[ \u00a0]$")
_NEXT = re.compile(r"[ \u00a0](?:of the |de la |des |of )?([^\W\d_]+)")


def ordinals(text: str, language: str) -> Iterator[Ordinal]:
    """All of them, in no order. Dates have to be blanked out before."""
    for match in _DIGITS.finditer(text):
        yield _of(text, match.start(), match.end(), int(match["place"]))
    for match in _DECADE.finditer(text):
        yield Ordinal(start=match.start(), end=match.end(), year=int(match["year"]))
    yield from _romans(text)
    if language == "de":
        for match in _GERMAN.finditer(text):
            yield _of(text, match.start(), match.end() - 1, int(match["place"]))
    if language == "vi":
        for match in _VIETNAMESE.finditer(text):
            place = _VIETNAMESE_PLACES.index(match["place"].casefold()) + 1
            yield Ordinal(start=match.start("place"), end=match.end(), value=place)
    if language in _WORDS and _ANY_WORD[language].search(text):
        yield from _in_words(text, language)


def is_ordinal(word: str, language: str) -> bool:
    """Is it a place in an order, written as a word?"""
    return language in _ANY_WORD and bool(_ANY_WORD[language].search(word))


def _in_words(text: str, language: str) -> Iterator[Ordinal]:
    for pattern, place in _WORDS[language]:
        for match in pattern.finditer(text):
            found = _of(text, match.start(), match.end(), place)
            if found.noun and not _NO_ORDINAL_BEFORE.search(text[: match.start()][-12:]):
                yield found


def _romans(text: str) -> Iterator[Ordinal]:
    for match in _ROMAN.finditer(text):
        numeral = match["roman"]
        if len(numeral) > 1 or (numeral and match["after"]):
            start = match.start("roman")
            before = _BEFORE.search(text[:start])
            noun = stem(fold(before[1])) if before and not match["after"] else ""
            yield Ordinal(start=start, end=match.end(), value=_roman_value(numeral), noun=noun, roman=True)


def _roman_value(numeral: str) -> int:
    values = [_VALUES[char] for char in numeral]
    return sum(
        -one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True)
    )


def _of(text: str, start: int, end: int, value: int) -> Ordinal:
    following = _NEXT.match(text, end)
    plain = following is not None and following[1].casefold() not in ANY_FUNCTION_WORD
    noun = stem(fold(following[1])) if following and plain else ""
    return Ordinal(start=start, end=end, value=value, noun=noun)
