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
LANGUAGE = r"(?P<language>[^\W\d_]+(?: [^\W\d_]+){0,3}?)"


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
    kinds = [kind for kind in COURTESIES if _phrases(code, kind).search(message)]
    if not kinds or _rest(message, code):
        return None
    return Courtesy(kind=kinds[-1], language=code)  # "hi, thanks, bye": the last one is meant


def _rest(message: str, code: Language) -> str:
    for kind in (*COURTESIES, "filler"):
        message = " ".join(_phrases(code, kind).sub(" ", message).split())
    return message.strip(" -'")


@cache
def _phrases(code: Language, kind: str) -> re.Pattern[str]:
    longest_first = sorted((folded(phrase) for phrase in sentences(code).hears[kind]), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def wish(text: str) -> Wish | None:
    """The wish about the language that a message speaks out, None where there is none."""
    for code in SPOKEN:
        for kind in ("reset", "wish"):
            if found := _wish_in(text, code, kind):
                return found
    return None


def _wish_in(text: str, code: Language, kind: str) -> Wish | None:
    for pattern in _wishes(code, kind):
        match = pattern.search(text)
        if match is None:
            continue
        named = match.groupdict().get("language")
        language = language_named(named) if named else ""
        if language is None:
            continue
        return Wish(language="" if kind == "reset" else language, said_in=code, rest=_without(text, match))
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
    named = words.replace(r"\{language\}", LANGUAGE)
    return re.compile(rf"(?<!\w){named}(?!\w)", re.IGNORECASE)


def language_named(name: str) -> Language | None:
    """The code of a language called by any of our names for it; None for one that we do not speak."""
    return _names().get(folded(name))


@cache
def _names() -> dict[str, Language]:
    return {folded(name): Language(code) for own in SPOKEN for code, name in sentences(own).languages.items()}
