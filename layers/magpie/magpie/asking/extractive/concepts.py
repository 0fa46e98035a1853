"""Words of one idea across languages, so that a question meets the sentence that says it otherwise."""

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources

from magpie.text.stems import fold, stem


def concepts_of(word: str, language: str) -> frozenset[int]:
    """The ideas that a stem of a language may stand for; of a compound that we don't know, its longest part's."""
    known = _by_stem(language).get(word)
    if known is None and language in COMPOUNDING:
        return _of_compound(word, language)
    return known or frozenset()


COMPOUNDING = frozenset({"de", "nl"})  # they write `Telefonnummer` as one word
LEAST_PART = 5  # letters: shorter beginnings are chance
LEAST_REST = 3


@lru_cache(maxsize=4096)
def _of_compound(word: str, language: str) -> frozenset[int]:
    parts = [part for part in _parts(language) if len(word) >= len(part) + LEAST_REST]
    within = [part for part in parts if word.startswith(part) or word.endswith(part)]
    return _parts(language)[max(within, key=len)] if within else frozenset()


@cache
def _parts(language: str) -> Mapping[str, frozenset[int]]:
    """Longer words as they may stand in a compound: whole, which their stems need not be."""
    words = {fold(word) for line in _lines() for word in line.get(language, ())}
    return {word: _by_stem(language)[stem(word, language)] for word in words if len(word) >= LEAST_PART}


MOST_TRANSLATIONS = 2


def translations(word: str, language: str, target: str) -> tuple[str, ...]:
    """The first words of another language for the idea of a word; none where we don't know it."""
    ideas = sorted(concepts_of(stem(fold(word), language), language))
    return _lines()[ideas[0]].get(target, ())[:MOST_TRANSLATIONS] if ideas else ()


@cache
def _by_stem(language: str) -> Mapping[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_lines()):
        for word in line.get(language, ()):
            found.setdefault(stem(fold(word), language), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


@cache
def _lines() -> tuple[Mapping[str, tuple[str, ...]], ...]:
    text = resources.files(__package__).joinpath("concepts.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return tuple(dict(_languages(line)) for line in lines)


def _languages(line: str) -> list[tuple[str, tuple[str, ...]]]:
    parts = (part.partition(":") for part in line.split("|"))
    return [(code.strip(), tuple(words.split())) for code, _, words in parts]
