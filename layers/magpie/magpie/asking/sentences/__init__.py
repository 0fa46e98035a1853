"""
Magpie's own sentences, one TOML file a language: what it says without a writer (`says`), the
words by which it knows a greeting or a wish (`hears`), and what languages are called (`languages`).

They assert nothing of the site, so a name from the visitor's question may stand in them.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from magpie.model import Language

SPOKEN: tuple[Language, ...] = tuple(
    Language(code) for code in ("en", "pt", "es", "fr", "de", "it", "nl", "vi")
)
"""The languages in which Magpie has sentences of its own."""

DEFAULT = Language("en")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """One language's file."""

    language: Language
    says: Mapping[str, str]
    hears: Mapping[str, tuple[str, ...]]
    languages: Mapping[str, str]

    def say(self, which: str, /, **values: str) -> str:
        """The sentence of that name with its places filled in."""
        return self.says[which].format(**values)


@cache
def sentences(language: str) -> Sentences:
    """The sentences in that language; in English where Magpie does not speak it."""
    code = Language(language if language in SPOKEN else DEFAULT)
    text = resources.files(__package__).joinpath(f"{code}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    heard = {name: tuple(phrases) for name, phrases in data["hears"].items()}
    return Sentences(language=code, says=data["says"], hears=heard, languages=data["languages"])
