"""The words by which routes know that they are meant: data in `words.toml`, matched here."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib import resources

from magpie.text.stems import fold


def hears(kind: str, text: str) -> bool:
    """Whether any word of that kind stands in the text, in any of our languages."""
    return _pattern(kind).search(plain(text)) is not None


def spans_of(kind: str, text: str) -> tuple[tuple[int, int], ...]:
    """Where words of that kind stand in `plain(text)`."""
    return tuple(match.span() for match in _pattern(kind).finditer(plain(text)))


def holds_any(phrases: Sequence[str], text: str) -> bool:
    """Whether a site's own key words or phrases stand in the text, whole."""
    return bool(phrases) and compiled(tuple(phrases)).search(plain(text)) is not None


def without(text: str, phrases: Sequence[str], kinds: Sequence[str]) -> str:
    """What is left of the text, folded, when the phrases and all words of the kinds are taken out."""
    left = compiled(tuple(phrases)).sub(" ", plain(text)) if phrases else plain(text)
    for kind in kinds:
        left = _pattern(kind).sub(" ", left)
    return left


@lru_cache(maxsize=1024)
def plain(text: str) -> str:
    """Folded, apostrophes evened out, single spaces; punctuation stays."""
    return " ".join(fold(text).replace("’", "'").split())


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return compiled(tuple(phrase for phrases in _data()[kind].values() for phrase in phrases))


@lru_cache(maxsize=512)
def compiled(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the phrases, whole, over `plain` text."""
    longest_first = sorted(set(phrases), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(_expression, longest_first))})(?!\w)")


def _expression(phrase: str) -> str:
    escaped = re.escape(plain(phrase)).replace(r"\ ", r"\s+")
    return escaped.replace(r"\s+\*\s+", r"\s+(?:\S+\s+){0,4}?").replace(r"\*", r"\w*")


@cache
def _data() -> dict[str, dict[str, list[str]]]:
    text = resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def kinds() -> Iterable[str]:
    """All kinds of words that there are."""
    return _data().keys()
