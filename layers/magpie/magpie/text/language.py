"""
Which of our languages a message is in. A message too short or too mixed to tell is None: whoever
asks then keeps the language of the conversation.
"""

from functools import cache
from typing import TYPE_CHECKING

from magpie.model import Language

if TYPE_CHECKING:
    from lingua import LanguageDetector

LEAST_LETTERS = 6
LEAST_DISTANCE = 0.05  # between the first and the second guess


def detect(text: str) -> Language | None:
    """The language of the text, None where it can't be told."""
    if sum(char.isalpha() for char in text) < LEAST_LETTERS:
        return None
    found = _detector().detect_language_of(text)
    return Language(found.iso_code_639_1.name.lower()) if found else None


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
    builder = LanguageDetectorBuilder.from_languages(*ours).with_low_accuracy_mode()
    return builder.with_minimum_relative_distance(LEAST_DISTANCE).build()
