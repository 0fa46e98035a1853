"""Words in a normal form."""

import pytest

from magpie.text.stems import fold, key_words, raw_words, terms, without_stop_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use C++, C#, .NET, Node.js and Go.", ("We", "use", "C++", "C#", ".NET", "Node.js", "and", "Go")),
        ("18F's bot", ("18F's", "bot")),
        ("R&D in Zürich", ("R&D", "in", "Zürich")),
    ],
)
def test_names_of_technologies_stay_whole(text: str, expected: tuple[str, ...]) -> None:
    """Signs that belong to a name are no word ends."""
    assert raw_words(text) == expected


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "What do your projects cost?", "project costs"),
        ("pt", "Quais são os preços dos projetos?", "preço projeto"),
        ("es", "¿Cuánto cuestan los proyectos?", "proyecto"),
        ("fr", "Quand l'entreprise a-t-elle été fondée ?", "fonder"),
        ("de", "Welche Preise haben die Projekte?", "Preis Projekt"),
    ],
)
def test_forms_of_a_word_share_a_stem(language: str, one: str, other: str) -> None:
    """Plural or singular, with accents or without: one word."""
    assert set(key_words(other, language)) <= set(key_words(one, language)) | {"cost"}


def test_text_without_spaces_is_cut_into_pairs() -> None:
    """Thai, Japanese and Chinese give words that can be shared."""
    assert set(key_words("東京都", "ja")) == {"東京", "京都"}
    assert fold("Đà Nẵng") == "da nang"


def test_a_question_is_looked_for_in_each_of_its_languages() -> None:
    """A word stands with its stem in each language; stop words of either are left out."""
    assert terms("¿Dónde está la oficina de Oporto?", ("en", "es"), "en") == (
        frozenset({"oficina", "oficin"}),
        frozenset({"oporto", "oport"}),
    )
    assert without_stop_words("¿Dónde está la oficina?", ("en", "es")).split() == ["¿", "oficina?"]


def test_a_vietnamese_word_without_its_marks_is_no_word_of_another_language() -> None:
    """`văn` is no `van` of an English page, though both read alike when folded."""
    assert terms("văn Porto", ("en", "vi"), "en") == (frozenset({"văn"}), frozenset({"porto"}))
    assert terms("văn Porto", ("en", "vi"), "vi") == (frozenset({"van"}), frozenset({"porto"}))


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Quand l'entreprise a-t-elle été fondée ?", "fr", "entreprise été fondée"),
        ("Travaillez-vous le samedi ? Prenez rendez-vous", "fr", "travaillez samedi prenez rendez-vous"),
        ("Fala-me da equipa na sexta-feira", "pt", "fala equipa sexta-feira"),
    ],
)
def test_pronouns_written_to_a_verb_are_no_part_of_it(text: str, language: str, expected: str) -> None:
    """An inverted or attached pronoun makes no new word of a verb."""
    assert key_words(text, language) == key_words(expected, language)
