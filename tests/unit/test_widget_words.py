"""The owner's words for the widget, by language."""

import pytest

from functions.public.config import config_of, wished
from magpie.errors import SiteInvalid
from magpie.site import load_site
from tests.unit.asking_site import Desk, said

SITE = """
site: {key: quay, name: Quay, url: "https://quay.example", languages: [en, pt, vi]}
persona:
  name: Pia
  greeting: {en: Hello there, pt: Bom dia a todos}
  disclosure: Pia is a program.
sources: [{path: "**/*.md"}]
looks:
  starters: [{en: "When?", pt: "Quando?"}, "Porto?"]
  starters_by_page:
    /cakes/*: [{en: "Which cake?", vi: "Bánh nào?"}]
"""


def words(*languages: str) -> tuple[object, ...]:
    config = config_of(Desk(site=load_site(SITE)), languages)
    persona, looks = config["persona"], config["looks"]
    return (
        persona["greeting"],
        persona["disclosure"],
        looks["starters"],
        looks["starters_by_page"]["/cakes/*"],
    )


@pytest.mark.parametrize(
    ("languages", "told"),
    [
        ((), ("Hello there", "Pia is a program.", ["When?", "Porto?"], ["Which cake?"])),
        (("pt",), ("Bom dia a todos", "Pia is a program.", ["Quando?", "Porto?"], ["Which cake?"])),
        (("de", "vi"), ("Hello there", "Pia is a program.", ["When?", "Porto?"], ["Bánh nào?"])),
    ],
)
def test_the_config_speaks_to_the_visitor(languages, told):
    """
    Each text is told in the first of the visitor's languages that has it, else in the site's first one.
    """
    assert words(*languages) == told


@pytest.mark.parametrize(
    ("language", "accepted", "found"),
    [
        ("", "", ()),
        ("pt-BR", "", ("pt",)),
        ("", "de;q=0.4, pt-PT, en;q=0.9", ("pt", "en", "de")),
        ("vi", "en-GB,en", ("vi", "en")),
        ("../../x", "*;q=0.5, ;;;, fr;q=0, q=9", ()),
    ],
)
def test_the_page_comes_before_the_browser(language, accepted, found):
    """
    What the page asks for, then what the browser prefers; nonsense is nothing.
    """
    assert wished(language, accepted) == found


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "problem"),
    [
        ("pt: Bom dia a todos", "xx: Ola", 5, "persona.greeting.xx", "no language of this site"),
        ("en: Hello there, ", "", 5, "persona.greeting", "lacks 'en'"),
        ("pt: Bom dia a todos", "pt: [Ola]", 5, "persona.greeting.pt", "must be one text"),
        ('"Porto?"', "7", 9, "looks.starters.1", "give a text, or texts by language"),
        ('vi: "Bánh nào?"', "vi: 3", 11, "looks.starters_by_page./cakes/*.0.vi", "must be one text"),
    ],
)
def test_words_in_no_language_are_refused(old, new, line, key, problem):
    """
    Which line, which key, and what would be right.
    """
    with pytest.raises(SiteInvalid) as caught:
        load_site(SITE.replace(old, new))

    (found,) = caught.value.problems
    assert (found.line, found.key) == (line, key)
    assert problem in found.problem


@pytest.mark.parametrize(("question", "answer"), [("Hello!", "Hello there"), ("Olá!", "Bom dia a todos")])
async def test_the_assistant_greets_in_the_owners_words(question, answer):
    """
    Who is greeted in a language that the owner wrote hears the owner.
    """
    assert said(await Desk(site=load_site(SITE)).ask(question)) == answer
