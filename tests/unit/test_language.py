"""Which language a short message is in."""

import time
from pathlib import Path

import pytest

from magpie.model import Language
from magpie.text.language import OURS, detect

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

CASES = Path(__file__).resolve().parents[1] / "cases" / "short-messages.txt"
TYPED = [
    (code, text)
    for code, bar, text in (line.partition("|") for line in CASES.read_text(encoding="utf-8").splitlines())
    if bar and not code.startswith("#")
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


@pytest.mark.parametrize("language", OURS)
def test_messages_without_accents_are_told_apart(language: str) -> None:
    """
    As people type in a chat, without accents and with slips: of forty messages 37 or more, and at
    most one is taken for another language.
    """
    found = [detect(text) for code, text in TYPED if code == language]

    assert len(found) == 40
    assert found.count(Language(language)) >= 37
    assert sum(one not in (None, language) for one in found) <= 1


def test_a_loan_word_does_not_outvote_its_neighbours() -> None:
    """
    `link`, `app` and `startup` are said in all our languages.
    """
    assert detect("mandami il link") == "it"
    assert detect("ai lam app tu lanh") == "vi"


@pytest.mark.parametrize("text", ["can you do it", "no me da la gana", "ma non lo so", "bon vin", "ik ga nu"])
def test_syllables_alone_make_no_vietnamese(text: str) -> None:
    """
    Words that could be Vietnamese syllables stay in the language that owns them.
    """
    assert detect(text) != "vi"


@pytest.mark.parametrize("piece", ["a-", "a.", "sk-", "a@", "@", "https://"])
def test_a_run_without_a_space_costs_no_more_than_a_text(piece):
    """
    The longest message of one endless word is looked at about as fast as one of sentences.
    """
    ordinary = "The harbour opens at six, and closes when the tide goes out, said Ana. " * 120

    assert seconds(piece * 8_000) < 20 * max(seconds(ordinary), 0.02)


def seconds(text: str) -> float:
    """Of the processor for 8,000 letters; the quickest of three, which are not the same, so that none is remembered."""
    taken = []
    for start in range(3):
        began = time.process_time()
        detect(text[start : start + 8_000])
        taken.append(time.process_time() - began)
    return min(taken)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Do you sell croissants?", "en"),
        ("Do you serve cappuccino?", "en"),
        ("Do you sell pappardelle?", "en"),
        ("Habt ihr Tiramisu?", "de"),
        ("Vendez-vous des croissants ?", "fr"),
        ("Avete dei croissant?", "it"),
    ],
)
def test_a_dish_of_another_country_does_not_change_the_language(text: str, language: str) -> None:
    """
    Small words of one language outweigh the letters of a noun that it borrowed.
    """
    assert detect(text) == language
