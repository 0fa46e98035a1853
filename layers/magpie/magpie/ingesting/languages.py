"""
Which language a document is in: as it says itself, as its path says, else as its words show.

Detection needs `MIN_LETTERS` letters: short labels and names say nothing sure.
"""

import re
from functools import cache
from typing import Any

from magpie.model import Language

MIN_LETTERS = 100
SAMPLE_CHARS = 800
READ_CHARS = 40_000  # where the sample is looked for
# The languages that visitors and corpora of small sites use; each one more makes the others less sure.
DETECTED = [
    "ar",
    "bg",
    "ca",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "fa",
    "fi",
    "fr",
    "he",
    "hi",
    "hr",
    "hu",
    "id",
    "it",
    "ja",
    "ko",
    "lt",
    "lv",
    "ms",
    "nb",
    "nl",
    "pl",
    "pt",
    "ro",
    "ru",
    "sk",
    "sl",
    "sv",
    "th",
    "tr",
    "uk",
    "vi",
    "zh",
]
KNOWN = frozenset(
    (
        *DETECTED,
        *[
            "bn",
            "eu",
            "ga",
            "gd",
            "gl",
            "is",
            "ka",
            "kk",
            "mk",
            "mr",
            "mt",
            "nn",
            "no",
            "sq",
            "sr",
            "sw",
            "ta",
            "te",
            "tl",
            "ur",
            "cy",
            "hy",
            "az",
            "be",
            "bs",
        ],
    )
)
_CODE = re.compile(r"([a-z]{2})(?:[-_][A-Za-z]{2,4})*$", re.IGNORECASE)
_IN_NAME = re.compile(r"[-_.]([a-z]{2}(?:[-_][A-Z]{2})?)\.[A-Za-z]+$")


def language_code(value: object) -> Language | None:
    """`pt-BR` is `pt`; what is no language code is None."""
    match = _CODE.match(value.strip()) if isinstance(value, str) else None
    code = match[1].lower() if match else ""
    return Language(code) if code in KNOWN else None


def language_of_path(path: str) -> Language | None:
    """A folder `pt/` or `pt-BR/`, or a name that ends in `.pt.md` or `-pt_BR.md`."""
    for folder in path.split("/")[:-1]:
        if re.fullmatch(r"[a-z]{2}(?:[-_][A-Za-z]{2})?", folder) and (found := language_code(folder)):
            return found
    match = _IN_NAME.search(path)
    return language_code(match[1]) if match else None


def detect_language(text: str) -> Language | None:
    """The language of the words, None where there are too few of them."""
    sample = _prose(text[:READ_CHARS])[:SAMPLE_CHARS]
    if sum(char.isalpha() for char in sample) < MIN_LETTERS:
        return None
    found = _detector().detect_language_of(sample)
    return Language(str(found.iso_code_639_1.name).lower()) if found else None


def _prose(text: str) -> str:
    without_code = re.sub(r"^[ >]*+(`{3,}+|~{3,}+).*?^[ >]*+\1", " ", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"\]\([^()\n]*+\)|https?://\S+|`[^`\n]*+`|[#>|*_\[\]-]", " ", without_code)


@cache
def _detector() -> Any:
    from lingua import IsoCode639_1, LanguageDetectorBuilder  # 30 ms, and only where a document doesn't say

    codes = [getattr(IsoCode639_1, code.upper()) for code in DETECTED]
    return LanguageDetectorBuilder.from_iso_codes_639_1(*codes).with_low_accuracy_mode().build()
