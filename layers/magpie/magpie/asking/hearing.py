"""
What needs no model and no database: greetings, thanks, farewells, wishes about the language.

A phrase is known by whole words, whatever its case, accents of typing aside; the phrases are data
(`sentences`).
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from magpie.asking.sentences import SPOKEN, Sentences, sentences
from magpie.model import Language

LONGEST_COURTESY_WORDS = 9  # a longer message says more than hello
COURTESIES = ("greeting", "thanks", "goodbye")


@dataclass(frozen=True, slots=True, kw_only=True)
class Courtesy:
    """`kind` is `greeting`, `thanks` or `goodbye`; `language` the one that it was said in."""

    kind: str
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """
    A wish about the language of answers: `language` is empty where the visitor takes an earlier
    wish back. `rest` is what else the message says; `said_in` the language of the wish itself.
    """

    language: str
    said_in: Language
    rest: str


def folded(text: str) -> str:
    """Lower case, composed, punctuation and apostrophes evened out, single spaces."""
    plain = unicodedata.normalize("NFC", text).casefold().replace("’", "'")
    return " ".join(re.sub(r"[^\w' -]+", " ", plain).split())


def courtesy(text: str, prefer: Language | None = None) -> Courtesy | None:
    """
    The courtesy that a message is made of, whole; None where it says anything else.

    `prefer` decides where languages share a word (`hi`, `ciao`).
    """
    message = folded(text)
    if not message or len(message.split()) > LONGEST_COURTESY_WORDS:
        return None
    order = sorted(SPOKEN, key=lambda code: code != prefer)
    return next((found for code in order if (found := _courtesy_in(message, code))), None)


def _courtesy_in(message: str, code: Language) -> Courtesy | None:
    pattern, kind_of = _courtesies(code)
    if pattern.sub(" ", message).strip(" -'"):
        return None
    kinds = [kind for phrase in pattern.findall(message) if (kind := kind_of[phrase]) != "filler"]
    return Courtesy(kind=kinds[-1], language=code) if kinds else None  # "hi, thanks, bye": the last is meant


@cache
def _courtesies(code: Language) -> tuple[re.Pattern[str], dict[str, str]]:
    """All phrases of a language in one pattern, the longest first, so that none is eaten by a part of it."""
    heard = sentences(code).hears
    kinds = ("filler", *COURTESIES)  # later ones win: a phrase may be a filler too
    kind_of = {folded(phrase): kind for kind in kinds for phrase in heard[kind]}
    phrases = sorted(kind_of, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})(?!\w)"), kind_of


def wish(text: str) -> Wish | None:
    """The wish about the language that a message speaks out, None where there is none."""
    composed = unicodedata.normalize("NFC", text)
    for code in SPOKEN:
        for kind in ("reset", "wish"):
            if found := _wish_in(composed, code, kind):
                return found
    return None


def _wish_in(text: str, code: Language, kind: str) -> Wish | None:
    for pattern in _wishes(code, kind):
        if match := pattern.search(text):
            named = match.groupdict().get("language") or ""
            language = "" if kind == "reset" else _names()[folded(named)]
            return Wish(language=language, said_in=code, rest=_without(text, match))
    return None


def _without(text: str, match: re.Match[str]) -> str:
    kept = f"{text[: match.start()]} {text[match.end() :]}"
    return re.sub(r"^[\s,.;:!?-]+|[\s,;:-]+$", "", kept).strip()


@cache
def _wishes(code: Language, kind: str) -> tuple[re.Pattern[str], ...]:
    own = sentences(code)
    return tuple(_wish_pattern(phrase, own) for phrase in sorted(own.hears[kind], key=len, reverse=True))


def _wish_pattern(phrase: str, own: Sentences) -> re.Pattern[str]:
    words = re.escape(phrase).replace(r"\ ", r"\s+").replace("'", "['\u2019]")
    names = "|".join(re.escape(name) for name in sorted(_names(), key=len, reverse=True))
    named = words.replace(r"\{language\}", f"(?P<language>{names})")
    return re.compile(rf"(?<!\w){named}(?!\w)", re.IGNORECASE)


@cache
def _names() -> dict[str, Language]:
    """What languages are called, by any of our names for them."""
    return {folded(name): Language(code) for own in SPOKEN for code, name in sentences(own).languages.items()}
