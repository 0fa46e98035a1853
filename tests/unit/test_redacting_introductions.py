"""Names of visitors who introduce themselves."""

import pytest

from magpie.text.redaction import RedactionPolicy, redact, survivors

VISITOR = RedactionPolicy(name="visitor")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("My name is Ana Figueiredo and I need a site.", "[redacted name] and I need a site."),
        ("hi, my name's ana figueiredo, what do you charge?", "[redacted name], what do you charge?"),
        ("Chamo-me João da Silva. Quanto custa?", "[redacted name]. Quanto custa?"),
        ("Olá, o meu nome é Inês e quero um site", "[redacted name] e quero um site"),
        ("Me llamo José Luis Ortega y quiero saber", "[redacted name] y quiero saber"),
        ("Je m’appelle Luc Martin.", "[redacted name]."),
        ("Ich heiße Jürgen von der Heide, guten Tag", "[redacted name], guten Tag"),
        ("Mi chiamo Chiara!", "[redacted name]!"),
        ("Ik heet Joost van den Berg en", "[redacted name] en"),
        ("Tôi tên là Nguyễn Thị Minh Khai.", "[redacted name]."),
        ("MY NAME IS ANA", "[redacted name]"),
        ("Good. I am Ana Figueiredo.", "[redacted name]."),
        ("I'm Ana Figueiredo and I need a site", "[redacted name] and I need a site"),
        ("Sou a Inês da Costa, de Braga", "[redacted name], de Braga"),
        ("Bonjour, je suis Luc Martin", "[redacted name]"),
        ("Ich bin Anna Müller.", "[redacted name]."),
    ],
)
def test_a_name_is_taken_out(text, masked):
    """
    In eight languages, typed with care or without; what follows the name stays, and nothing is left to find.
    """
    redacted = redact(text, VISITOR).text

    assert redacted.endswith(masked)
    assert survivors(redacted, VISITOR) == ()


@pytest.mark.parametrize(
    "text",
    [
        "My name is on the list, is it not?",
        "My name is not important.",
        "Who is Ana Figueiredo?",
        "Is the name of the tool Harbourmaster?",
        "Mein Name ist nicht wichtig",
        "Do you call meetings on Fridays?",
        "I am German, and I am sure.",
        "I'm a Sennit Works customer",
        "Ich bin Kunde.",
    ],
)
def test_what_is_no_introduction_stays(text):
    """
    People who are asked about are what the site is about.
    """
    assert redact(text, VISITOR).text == text


def test_a_page_keeps_its_names():
    """
    What an owner publishes is not a visitor's: the other policies leave introductions alone.
    """
    text = "My name is Ana Figueiredo and I lead the studio."

    assert redact(text, RedactionPolicy(name="public")).text == text
