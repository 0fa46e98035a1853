"""Which language a short message is in."""

import pytest

from magpie.text.language import detect

SHORT = [
    ("obrigado", "pt"),
    ("Quanto custa?", "pt"),
    ("O que fazem?", "pt"),
    ("¿Desarrollan en .NET?", "es"),
    ("hola", "es"),
    ("C'est combien ?", "fr"),
    ("Qui a écrit cet article ?", "fr"),
    ("Wer seid ihr?", "de"),
    ("Was kostet ein Projekt?", "de"),
    ("Quanto costa?", "it"),
    ("Chi ha scritto questo articolo?", "it"),
    ("Hoeveel kost het?", "nl"),
    ("Wie heeft dit geschreven?", "nl"),
    ("Bao nhiêu tiền?", "vi"),
    ("Ai đã viết bài này?", "vi"),
    ("who are you", "en"),
    ("price?", "en"),
]


@pytest.mark.parametrize(("text", "language"), SHORT)
def test_short_messages_are_told_apart(text: str, language: str) -> None:
    """
    Two or three words are enough, in each of our languages.
    """
    assert language == detect(text)


@pytest.mark.parametrize("text", ["", "?", "ok", "18F", "42", "Tidewise?", "https://example.org/preço"])
def test_what_says_nothing_of_its_language_is_left_open(text: str) -> None:
    """
    Names, numbers and addresses do not change the language of a conversation.
    """
    assert detect(text) is None


def test_names_do_not_outvote_the_words_between_them() -> None:
    """
    A question is in the language of its words, not of the people it names.
    """
    assert detect("Has Rasmus Ohlendorf run Kubernetes clusters?") == "en"
    assert detect("Wat doet Ana Figueiredo?") == "nl"


def test_the_same_message_is_always_in_the_same_language() -> None:
    """
    A guess does not depend on what was asked before.
    """
    first = [detect(text) for text, _ in SHORT]

    again = [detect(text) for text, _ in reversed(SHORT)]

    assert first == again[::-1]
