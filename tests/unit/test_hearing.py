"""What is heard without a model: courtesies and wishes, in eight languages."""

import string

import pytest

from magpie.asking.hearing import courtesy, wish
from magpie.asking.sentences import SPOKEN, sentences


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("code", SPOKEN)
def test_every_language_says_the_same_things(code):
    """
    Each of our sentences stands in each language, with the same places to fill in.
    """
    english, own = sentences("en"), sentences(code)

    assert own.says.keys() == english.says.keys()
    assert {name: fields(text) for name, text in own.says.items()} == {
        name: fields(text) for name, text in english.says.items()
    }
    assert own.hears.keys() == english.hears.keys()
    assert set(own.languages) == set(SPOKEN)


@pytest.mark.parametrize("code", SPOKEN)
@pytest.mark.parametrize("kind", ["greeting", "thanks", "goodbye"])
def test_every_phrase_is_heard_as_what_it_is(code, kind):
    """
    Each phrase of the data is a courtesy of its kind, in its language.
    """
    for phrase in sentences(code).hears[kind]:
        found = courtesy(f"{phrase.capitalize()}!", code)
        assert found is not None, phrase
        assert found.language == code, phrase


@pytest.mark.parametrize("code", SPOKEN)
def test_every_wish_is_heard_in_every_language(code):
    """
    "Always answer in X" is understood in each language, for each language.
    """
    own = sentences(code)
    for phrase in own.hears["wish"]:
        for target, name in own.languages.items():
            found = wish(f"{phrase.format(language=name).capitalize()}.")
            assert found is not None, (phrase, name)
            assert (found.language, found.rest) in {(target, ""), (target, ".")}, (phrase, name)


@pytest.mark.parametrize("code", SPOKEN)
def test_every_reset_is_heard(code):
    """
    The wish is taken back in each language.
    """
    own = sentences(code)
    for phrase in own.hears["reset"]:
        found = wish(phrase.format(language=own.languages["pt"]))
        assert found is not None, phrase
        assert found.language == "", phrase


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?!",
        "Which projects use Hi-C?",
        "Do you always answer in writing?",
        "Can you build a site in Portuguese?",
        "Which languages does your team speak?",
        "Hello, I would like to know what a website costs",
        "Obrigado, e quanto custa?",
    ],
)
def test_questions_are_neither(text):
    """
    A question about the site is no courtesy and no wish.
    """
    assert courtesy(text) is None
    assert wish(text) is None
