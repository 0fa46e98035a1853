"""
Names that only insiders may be told: found through case, accents, look-alikes, spacing tricks and inflection.

`Kestrel Quay` is found as `KESTREL QUAY`, `Kestrels`, `Kestrel-Quay`, `K e s t r e l Q u a y`, `Késtrel Quay's` and
`Quay, Kestrel`, but not in `kestrelling` or, for a short name such as `Perla`, in the Italian `per la casa`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from magpie.text.obfuscation import squeeze, view
from magpie.text.shapes import Shape

_SHORT = 5
"""Letters from which on a word may be inflected freely."""
_SHORT_BESIDE_OTHERS = 3
"""The same in a name of several words, which seldom stand together by chance."""
_LONG = 6
"""Letters from which on a word is known by its letters alone, wherever it is torn apart."""
_JUNK = r"(?:[^\w\s]|_){0,2}"
_ANY = r"[\W_]{0,3}"
_SPACED = r"[\W_]{1,3}"
_BETWEEN = r"[\W_]{0,4}"
_NO_SPACES = Shape(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_VOWELS = "aeiouy"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateTerm:
    """A name, and what may be said in its place; nothing may where `instead` is empty."""

    name: str
    instead: str = ""


@dataclass(frozen=True, slots=True)
class _Known:
    term: PrivateTerm
    pattern: re.Pattern[str]
    probe: str
    letters: tuple[str, ...]
    """Its letters alone, in each order of its words."""


class PrivateTerms:
    """All private names of a site."""

    def __init__(self, terms: Iterable[PrivateTerm] = ()) -> None:
        self._known = tuple(known for term in terms if (known := _known(term)))

    def __bool__(self) -> bool:
        return bool(self._known)

    def names(self, text: str) -> bool:
        """Does the text name any of them?"""
        return bool(self._found(text))

    def redacted(self, text: str) -> str | None:
        """The text with the public words in their place; None where a name has none. The text itself when clean."""
        found = self._found(text)
        if not found:
            return text
        if any(not term.instead for _, _, term in found):
            return None
        parts, at = [], 0
        for start, end, term in found:
            parts += [text[at:start], _cased(term.instead, text, start)]
            at = end
        return "".join((*parts, text[at:]))

    def blanked(self, text: str) -> str:
        """The text with a gap in place of each name."""
        parts, at = [], 0
        for start, end, _ in self._found(text):
            parts += [text[at:start], "[…]"]
            at = end
        return "".join((*parts, text[at:]))

    def begins(self, text: str) -> bool:
        """Could a name begin at the end of the text, and go on in what follows?"""
        if not self._known:
            return False
        plain = view(text[-200:]).text
        tail = squeeze(plain)
        return any(
            tail.text.endswith(letters[:size]) and _opens(plain, tail.places[-size])
            for known in self._known
            for letters in known.letters
            for size in range(1, min(len(letters), len(tail.text) + 1))
        )

    def _found(self, text: str) -> list[tuple[int, int, PrivateTerm]]:
        if not self._known:
            return []
        plain = view(text)
        letters = squeeze(plain.text).text
        spans = sorted(
            (
                (*plain.source_span(*match.span()), known.term)
                for known in self._known
                if known.probe in letters
                for match in known.pattern.finditer(_straight(plain.text))
            ),
            key=lambda span: (span[0], -span[1]),
        )
        return _apart(spans)


_TWINS = str.maketrans(
    "аеорсухіјѕһԁԛԝѵαονιρυκАВЕКМНОРСТУХαΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijshdqwvaovipukABEKMHOPCTYXaABEZHIKMNOPTYX"
)


def _straight(text: str) -> str:
    """Cyrillic and Greek look-alikes as the Latin letters that they pose as, place by place."""
    return text if text.isascii() else text.translate(_TWINS)


def _apart(spans: Sequence[tuple[int, int, PrivateTerm]]) -> list[tuple[int, int, PrivateTerm]]:
    """Of names that overlap the first and longest."""
    kept: list[tuple[int, int, PrivateTerm]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _opens(plain: str, place: int) -> bool:
    return place == 0 or not plain[place - 1].isalnum() or bool(_NO_SPACES.match(plain[place]))


def _cased(instead: str, text: str, start: int) -> str:
    before = text[:start].rstrip(" \t\"'“‘«(*_")
    return instead[:1].upper() + instead[1:] if not before or before[-1] in ".!?…:\n" else instead


@lru_cache(maxsize=1024)
def _known(term: PrivateTerm) -> _Known | None:
    words = [squeeze(word).text for word in re.split(r"[\W_]+", _straight(view(term.name).text))]
    words = [word for word in words if word]
    if not words:
        return None
    orders = [words, words[::-1]] if len(words) == 2 else [words]
    free_from = _SHORT if len(words) == 1 else _SHORT_BESIDE_OTHERS
    pattern = "|".join(_BETWEEN.join(_word(word, free_from) for word in order) for order in orders)
    free = bool(_NO_SPACES.search(term.name))
    bounded = pattern if free else rf"(?<![^\W_])(?:{pattern})(?![^\W_])"
    stem = words[0][: max(2, len(words[0]) - 1)]
    return _Known(term, re.compile(bounded, re.IGNORECASE), stem, tuple("".join(order) for order in orders))


def _word(word: str, free_from: int) -> str:
    """A word whole and inflected, letter by letter, or torn apart."""
    if len(word) < 3:
        return _JUNK.join(map(re.escape, word))
    forms = [_inflected(word, free_from), _SPACED.join(map(re.escape, word))]
    if len(word) >= _LONG:
        forms.append(_ANY.join(map(re.escape, word)))
    return f"(?:{'|'.join(forms)})"


def _inflected(word: str, free_from: int) -> str:
    if len(word) < free_from:
        return _JUNK.join(map(re.escape, word)) + r"(?:['’]?s|es|['’])?"
    if word[-1] in _VOWELS:
        return _JUNK.join(map(re.escape, word[:-1])) + rf"{_JUNK}[{_VOWELS}]\w{{0,3}}(?:['’]s)?"
    return _JUNK.join(map(re.escape, word)) + r"\w{0,3}(?:['’]s?)?"


__all__ = ["PrivateTerm", "PrivateTerms"]
