"""
Names in a text: people, projects, organisations, places, technologies.

A capital makes a name in most languages, though not at the start of a sentence, and not in German, where every
noun has one. A name found there is `weak`: it counts only where somebody knows it. Lists help: technologies, given
names, and forms that are one name in several languages ("Lisbon", "Lisboa").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from magpie.text.dates import MONTHS, WEEKDAYS
from magpie.text.lexicon import lexicon
from magpie.text.lexicon import words as listed
from magpie.text.numbers import NUMBER_WORDS
from magpie.text.ordinals import is_ordinal
from magpie.text.units import CURRENCIES
from magpie.text.words import ANY_FUNCTION_WORD, FUNCTION_WORDS, fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """`words` as written. `term`: a technology or a code; `weak`: only a name where it is known as one."""

    start: int
    end: int
    words: tuple[str, ...]
    term: bool = False
    weak: bool = False


TECHNOLOGIES = listed("names", "technologies")
AMBIGUOUS_TECHNOLOGIES = listed("names", "ambiguous_technologies")
"""Ordinary words, or a letter, that are a technology only with their capital."""
GIVEN_NAMES = frozenset(map(fold, listed("names", "given_names")))
_GENERIC = listed("names", "generic")
_BARE_SUBJECTS = listed("names", "bare_subjects")
_FINITE = listed("names", "finite")
_AFTER_VERB = listed("names", "after_verb")
_TITLES = listed("names", "titles")
_GERMAN_WORDS = listed("names", "german")
_PLAIN_ENDINGS = tuple(listed("names", "plain_endings"))
_GERMAN_NOUN = re.compile(
    r"(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|ität|itäten|ment|mente|nis|nisse|tum|ling|chen|lein|"
    r"er|ern|erin|innen|in|ie|ien|ik|ur|uren|anz|enz|ismus|ist|isten|or|oren|age|agen|eur|ät|sal|sel|tag|tage|tagen|zeit|"
    r"preis|preise|seite|seiten|dienst|dienste|kosten|satz|sätze|plan|werk|werke|stelle|stellen|stück|recht|haus|hof|weg|jahr|"
    r"jahre|jahren|woche|wochen|monat|monate|monaten|stunde|stunden|raum|räume|platz|plätze|buch|bücher|arbeit|arbeiten)$"
)

_TOKEN = re.compile(
    r"°[CF]|\.?[^\W\d_][^\W_]*(?:(?:\+\+|#)(?!\w)|\.(?:js|io|py|ai|net|NET|JS)(?![\w]))?|[^\W_]+|[^\w\s]|_+|\n"
)
_BREAKS = frozenset('.!?:;,()[]"“”„«»…|\n—–•')
_OPENS = frozenset('.!?:"“„«(…|\n—–•>*')


def _same_forms() -> dict[tuple[str, ...], int]:
    table: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(lexicon("names")["same"].strip().splitlines()):
        for form in line.split("|"):
            table[tuple(fold(word) for word in re.findall(r"[^\W_]+", form))] = number
    return table


SAME: dict[tuple[str, ...], int] = _same_forms()
SAME_FORMS: dict[int, tuple[tuple[str, ...], ...]] = {
    number: tuple(form for form, group in SAME.items() if group == number) for number in set(SAME.values())
}


_TIERS = frozenset(("pro", "plus"))
"""Words of one language that name a product's tier in another."""


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a text that may be part of a name."""

    text: str
    start: int
    end: int
    initial: bool


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[Word, ...]:
    """The tokens of a text; `initial` marks those that would have a capital in any case."""
    found: list[Word] = []
    opened = True
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0].isalnum() or (len(token) > 1 and token[0] == "."):
            found.append(Word(token, match.start(), match.end(), opened))
            opened = token.isdigit() and opened
        else:
            opened = token in _OPENS or (opened and token in "-'’([#*_`")
    return tuple(found)


def names(text: str, language: str) -> Iterator[Named]:
    """All names, longest runs of capitals first come first."""
    words = words_of(text)
    title = _is_headline(text, words, language)
    for run in _runs(text, words):
        yield from _judged(run, words, language, title, text)


def _runs(text: str, words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    run: list[Word] = []
    for word in words:
        if run and (not _is_capital(word) or not _touches(text, run[-1], word)):
            yield tuple(run)
            run = []
        if _is_capital(word):
            run.append(word)
    if run:
        yield tuple(run)


def _touches(text: str, before: Word, word: Word) -> bool:
    gap = text[before.end : word.start]
    return gap in (" ", "-", " & ", "\u00a0", "'", "’", " - ") and not (gap in "'’" and word.text == "S")


def _is_capital(word: Word) -> bool:
    text = word.text.lstrip(".")
    plain = fold(text)
    if text[:1].isdigit():
        return False
    if text.casefold() in ANY_FUNCTION_WORD and not (
        text.isupper() and len(text) > 1 and plain not in _GENERIC
    ):
        known = plain in AMBIGUOUS_TECHNOLOGIES or plain in _TIERS
        return known and text[0].isupper() and not word.initial
    lower_tech = plain in TECHNOLOGIES and plain not in AMBIGUOUS_TECHNOLOGIES
    return any(char.isupper() for char in text) or lower_tech or text[-1] in "+#" or word.text[0] == "."


def _is_headline(text: str, words: tuple[Word, ...], language: str) -> bool:
    long = [word for word in words if len(word.text) > 3]
    if any(char in text for char in ":,.;") and not text.lstrip().startswith("#"):
        return False
    return (
        language != "de"
        and len(long) >= 3
        and sum(word.text[0].isupper() for word in long) >= 0.75 * len(long)
    )


def _judged(
    run: tuple[Word, ...], words: tuple[Word, ...], language: str, title: bool, text: str
) -> Iterator[Named]:
    kept = [word for word in run if not _names_nothing(word, language)]
    if not kept:
        return
    sure = [_is_sure(word, run, words, language, title, text) for word in kept]
    if len(kept) > 1 and not title and _run_is_sure(kept, sure, language, text):
        sure = [True] * len(kept)
    for group, certain in _grouped(kept, sure):
        yield Named(
            start=group[0].start,
            end=group[-1].end,
            words=tuple(word.text for word in group),
            term=len(group) == 1 and is_term(group[0].text),
            weak=not certain,
        )


def _grouped(kept: list[Word], sure: list[bool]) -> Iterator[tuple[list[Word], bool]]:
    group: list[Word] = []
    for index, word in enumerate(kept):
        if group and (sure[index] != sure[index - 1] or word.start - group[-1].end > 3):
            yield group, sure[index - 1]
            group = []
        group.append(word)
    yield group, sure[-1]


def _names_nothing(word: Word, language: str) -> bool:
    plain = fold(word.text)
    if language == "de" and (plain in _GERMAN_WORDS or plain in NUMBER_WORDS["de"]):
        return True
    if is_ordinal(word.text, language):
        return True
    if plain in MONTHS or plain in WEEKDAYS or (word.text.isupper() and word.text.casefold() in CURRENCIES):
        return True
    return plain in _GENERIC or (plain in ANY_FUNCTION_WORD and word.initial and plain not in TECHNOLOGIES)


def _run_is_sure(kept: list[Word], sure: list[bool], language: str, text: str) -> bool:
    if language != "de":
        return any(sure[1:]) and not _plain_word(kept[0].text) if not sure[0] else True
    if any(fold(word.text) in GIVEN_NAMES for word in kept):
        return True
    compound = "-" in text[kept[0].start : kept[-1].end]
    return not compound and not any(_german_noun(word.text) for word in kept)


def _is_sure(
    word: Word, run: tuple[Word, ...], words: tuple[Word, ...], language: str, title: bool, text: str
) -> bool:
    plain = fold(word.text)
    if is_term(word.text) or (plain in GIVEN_NAMES and len(plain) > 2):
        return not (word.initial and plain in AMBIGUOUS_TECHNOLOGIES) or _is_labelled(word, run, words, text)
    place = words.index(word)
    if place and fold(words[place - 1].text) in _TITLES:
        return not (language == "de" and _german_noun(word.text))
    if title:
        return False
    if language == "vi" and _is_foreign(word.text):
        return True
    if (
        language == "de"
        and place
        and words[place - 1].text.casefold() == "bei"
        and not _german_noun(word.text)
    ):
        return True
    if word.initial and language == "de":
        return _is_labelled(word, run, words, text)
    if word.initial:
        return _bare_subject(word, words, place) or _is_labelled(word, run, words, text)
    return language != "de" and plain not in _GERMAN_WORDS


def _bare_subject(word: Word, words: tuple[Word, ...], place: int) -> bool:
    """Does the first word act as a name does: without an article, and right before its verb?"""
    following = words[place + 1].text if place + 1 < len(words) else ""
    plain = fold(word.text)
    plain_word = _plain_word(word.text) and not (
        plain.endswith("ly") and following.casefold() in ("is", "was", "has")
    )
    return (
        (following.casefold() in _FINITE or _is_verb(words, place + 1))
        and len(plain) > 2
        and plain not in _BARE_SUBJECTS
        and not plain_word
        and not (
            plain.endswith("s") and following.casefold() in ("will", "can", "had", "cost", "made", "took")
        )
    )


def _is_foreign(text: str) -> bool:
    """No Vietnamese syllable is that long, or has such letters."""
    return len(text) > 7 or bool(re.search(r"[fjwz]", text, re.IGNORECASE))


_NESTED = re.compile(r": ?[^\W\d_][\w ]{1,40}: ")
_LISTED = re.compile(r", ?\.?[^\W\d_]")


def _is_labelled(word: Word, run: tuple[Word, ...], words: tuple[Word, ...], text: str) -> bool:
    """All of what follows a label or the first of its list ("Client: X", "Stack: X, Y"), or what stands before one ("X: Client: Y")."""
    if _plain_word(word.text):
        return False
    before, end = text[: word.start].rstrip(), run[-1].end
    listed = run[-1] is words[-1] or (
        _LISTED.match(text, end) is not None and text[end:].lstrip(", .")[:1].isupper()
    )
    return (before.endswith(":") and len(run) <= 3 and listed) or (
        not before and _NESTED.match(text, end) is not None
    )


def _is_verb(words: tuple[Word, ...], place: int) -> bool:
    """An English verb by its s, when what an object or an adverbial begins with comes next."""
    if (
        place + 1 >= len(words)
        or not re.fullmatch(r"[a-z]{3,}s", words[place].text)
        or words[place].text.endswith("ss")
    ):
        return False
    following = words[place + 1].text
    return following.casefold() in _AFTER_VERB or following[0].isdigit()


def _plain_word(text: str) -> bool:
    plain = fold(text)
    return (
        plain in _GENERIC
        or plain in _BARE_SUBJECTS
        or plain in _GERMAN_WORDS
        or text.casefold().endswith(_PLAIN_ENDINGS)
    )


@lru_cache(maxsize=10_000)
def _german_noun(text: str) -> bool:
    plain = text.casefold()
    return (
        plain in _GERMAN_WORDS
        or bool(_GERMAN_NOUN.search(plain))
        or any(plain.endswith(w) for w in _GERMAN_WORDS if len(w) > 3)
    )


@lru_cache(maxsize=20_000)
def is_term(text: str) -> bool:
    """A technology, an acronym, or a word whose inner form only names have: `GraphQL`, `S3`, `C++`, `.NET`."""
    plain = fold(text)
    if plain in _GENERIC or (plain in FUNCTION_WORDS["en"] and not text.isupper()):
        return plain in AMBIGUOUS_TECHNOLOGIES and text[0].isupper()
    inner = any(char.isupper() for char in text[1:].removesuffix("s"))
    odd = text[-1] in "+#" or text[0] == "." or any(char.isdigit() for char in text)
    return (
        inner
        or odd
        or plain.replace(".", "") in TECHNOLOGIES
        or (plain in AMBIGUOUS_TECHNOLOGIES and text[:1].isupper())
    )


def needs_case(text: str) -> bool:
    """Must its capital be there too, since the plain word means something else?"""
    return fold(text) in AMBIGUOUS_TECHNOLOGIES or (text.isupper() and len(text) <= 3)
