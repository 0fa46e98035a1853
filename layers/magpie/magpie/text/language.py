"""
Which of our languages a message is in. A message too short or too mixed to tell is None: whoever
asks then keeps the language of the conversation.

Two witnesses: words that only some of the languages use (and letters that few of them write), and
`lingua`, limited to our languages. Alone, neither is right on short messages: `C'est combien ?`
misleads the one, `Vagas?` says nothing to the other.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from magpie.model import Language
from magpie.text.everyday import EVERYDAY, LOANS
from magpie.text.stems import STOP_WORDS, fold
from magpie.text.syllables import are_syllables, is_syllable
from magpie.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from lingua import LanguageDetector

LEAST_LETTERS = 3
LEAST_SCORE = 0.30
LEAST_DISTANCE = 0.12  # between the first and the second guess
LEAST_BY_LETTERS = 0.75  # where no word and no letter of its own speaks for a language
WORD_WEIGHT = 1.3
MARK_WEIGHT = 0.5
SURE_BY_WORDS = 0.5  # about two small words of one language in a short message
BARE_WEIGHT = 0.5  # of a word typed without its accents, beside one that is spelt so

OURS = ("en", "pt", "es", "fr", "de", "it", "nl", "vi")

_MARKS = {
    "pt": "ãõç", "es": "ñ¿¡", "fr": "çœèêûîùëï", "de": "ßäöü", "it": "ìòùèà", "nl": "ĳ",
    "vi": "ăđơưạảấầẩẫậắằẳẵặẹẻẽềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
}  # fmt: skip

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ELIDED = re.compile(r"^(?:c|d|j|l|m|n|s|t|qu)['’]")
# Bounded: in a long run without a space each place would else be tried to the run's end.
_ADDRESS = re.compile(
    r"\S{1,64}@\S+|https?://\S+|\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.[a-z]{2,24}\b", re.IGNORECASE
)


def detect(text: str) -> Language | None:
    """The language of the text, None where it can't be told."""
    words = _words(text)
    if sum(len(word) for word in words) < LEAST_LETTERS:
        return None
    scores = _scores(text, words)
    (best, first), (_, second) = sorted(scores.items(), key=lambda item: -item[1])[:2]
    least = LEAST_SCORE if _is_witnessed(text, words) else LEAST_BY_LETTERS
    return Language(best) if first >= least and first - second >= LEAST_DISTANCE else None


def _is_witnessed(text: str, words: list[str]) -> bool:
    return any(_by_words(words).values()) or any(_by_marks(text.casefold()).values())


def _words(text: str) -> list[str]:
    plain = _ADDRESS.sub(" ", text)
    return [word.casefold().replace("’", "'") for word in _WORD.findall(plain)]


def _scores(text: str, words: list[str]) -> dict[str, float]:
    seen, guessed = _by_words(words), _by_letters(" ".join(_common(text) or words))
    marks = _by_marks(text.casefold())
    return {
        code: _weighed(guessed.get(code, 0.0), seen, code)
        + WORD_WEIGHT * seen[code]
        + MARK_WEIGHT * marks[code]
        for code in OURS
    }


def _weighed(letters: float, seen: Mapping[str, float], code: str) -> float:
    """A dish keeps the letters of its home: `Do you sell croissants?` has the small words of English."""
    is_foreign = max(seen.values()) >= SURE_BY_WORDS > 2 * seen[code]
    return letters / 2 if is_foreign else letters


def _common(text: str) -> list[str]:
    """
    The words without names and loans: a Swedish surname says nothing of the language it stands in,
    nor does `link`.
    """
    plain = _ADDRESS.sub(" ", text)
    own = [word[0].casefold() for word in _WORD.finditer(plain) if word[0].islower() or word.start() == 0]
    return [word for word in own if word not in LOANS] or own


def _by_words(words: list[str]) -> dict[str, float]:
    """
    Share of the words that a language owns; a word of several counts for each in part.

    Who types no accents at all may mean words that have them: then `nao` is Portuguese.
    """
    is_bare = all(word.isascii() for word in words)
    known = _bare_vocabulary() if is_bare else _vocabulary()
    is_vietnamese = is_bare and are_syllables([word for word in words if word not in LOANS])
    scores = dict.fromkeys(OURS, 0.0)
    for word in words:
        owners = known.get(word) or _owners_by_form(word, is_vietnamese)
        for code, weight in owners.items():
            scores[code] += weight / sum(owners.values())
    # A message of names and one small word is still in that word's language.
    return {code: score / max(2.0, len(words) ** 0.7) for code, score in scores.items()}


def _owners_by_form(word: str, is_vietnamese: bool) -> Mapping[str, float]:
    if _ELIDED.match(word):
        return {"fr": 1.0}
    return {"vi": 1.0} if is_vietnamese and word not in LOANS and is_syllable(word) else {}


def _by_marks(text: str) -> dict[str, float]:
    holders = {code: any(char in letters for char in text) for code, letters in _MARKS.items()}
    sharing = sum(holders.values()) or 1
    return {code: holders.get(code, False) / sharing for code in OURS}


def _by_letters(text: str) -> Mapping[str, float]:
    values = _detector().compute_language_confidence_values(text)
    return {value.language.iso_code_639_1.name.lower(): value.value for value in values}


@cache
def _vocabulary() -> Mapping[str, Mapping[str, float]]:
    """Who owns a word, and how much: as it is spelt."""
    owners: dict[str, dict[str, float]] = {}
    for code in OURS:
        for word in {*STOP_WORDS[code].split(), *EVERYDAY[code].split(), *FUNCTION_WORDS.get(code, ())}:
            owners.setdefault(word, {})[code] = 1.0
    return owners


@cache
def _bare_vocabulary() -> Mapping[str, Mapping[str, float]]:
    """As `_vocabulary`, words that lost their accents too, which count for less than those that had none."""
    owners: dict[str, dict[str, float]] = {}
    for word, codes in _vocabulary().items():
        bare = fold(word)
        for code in codes:
            weight = 1.0 if bare == word else BARE_WEIGHT
            known = owners.setdefault(bare, {})
            known[code] = max(known.get(code, 0.0), weight)
    return owners


@cache
def _detector() -> "LanguageDetector":
    from lingua import Language as Lingua
    from lingua import LanguageDetectorBuilder

    ours = (
        Lingua.ENGLISH,
        Lingua.PORTUGUESE,
        Lingua.SPANISH,
        Lingua.FRENCH,
        Lingua.GERMAN,
        Lingua.ITALIAN,
        Lingua.DUTCH,
        Lingua.VIETNAMESE,
    )
    return LanguageDetectorBuilder.from_languages(*ours).with_low_accuracy_mode().build()
