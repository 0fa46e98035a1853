"""What holds for every redaction: policies, literals, offsets, a second look, time."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from magpie.text.obfuscation import view
from magpie.text.redaction import Found, Redacted, RedactionPolicy, placeholder, redact, report, survivors

CV = RedactionPolicy(name="cv")
PUBLIC = RedactionPolicy(name="public")
LISTED = RedactionPolicy(
    name="public", public_contacts=("mailto:Hello@Exemplo.pt", "tel:00351 21 345 67 89", "020 7946 0958")
)
NAMED = RedactionPolicy(name="cv", literals=("José Silva", "MARUF805035T99ZZ", "Li"))
POLICIES = (CV, PUBLIC, LISTED, NAMED, RedactionPolicy(name="none"))

PIECES = (
    "ana@exemplo.pt", "ana (at) exemplo (dot) pt", "+351 912 345 678", "912 345 678", "07700 900123", "Tel: ", "Email: ",
    "Rua Nova 5", " 4000-001 Porto", "Date of birth: ", "12/03/1990", "Nationality: ", "Portuguese", "[redacted email]",
    "[redacted phone]", "[redacted", "]", "\n", " ", "|", ", ", ". ", "at", " dot com", "@", "ana", "https://x.dev/a",
    "github.com/ana", "LinkedIn: ", "SSN ", "123-45-6789", "4111 1111 1111 1111", "PT50 0002 0123 1234 5678 9015 4",
    "10 High Street", "London SW1A 2AA", "born on ", "3 May 1985", "\u200b", "＠", "．", "&#64;", "<b>", "é", "ß", "1", "0",
    "(", ")", "-", "+", "/", "nove um dois tres quatro cinco seis", "password: hunter2x!", "José Silva", "J o s é  Silva",
    "postgres://u:p4ss@h/db", "age: 34", "married, ", "Suite 5", "Apt. 3",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=14).map("".join)
RELAXED = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])

HOSTILE = (
    "a", "0", " ", "\n", "1 2 ", "a@", "a.", "a-", "at ", " dot com at", "Phone: 1", "+", "(", "_", "http://", "A ", "Aaa ",
    "Rua Aaa ", "1 Aaa 1 ", "eyJaaaaaaaaaa.", "a://b:c", "password=", "-----BEGIN PRIVATE KEY-----\n", "[redacted email]",
    "| ", "a, ", " - ", "Flat 1, ", "PT50 ", "912345678, ", "@a ", "<!-- ", "&#64;", "e\u0301", "\u200b", "Nationality: ",
)  # fmt: skip


@RELAXED
@given(TEXTS, st.sampled_from(POLICIES))
def test_redacting_twice_changes_nothing(text: str, policy: RedactionPolicy) -> None:
    """
    A redacted text holds nothing more to redact, whatever the first pass left side by side.
    """
    once = redact(text, policy)

    assert survivors(once.text, policy) == ()
    assert redact(once.text, policy) == Redacted(text=once.text, found=())


@RELAXED
@given(TEXTS, st.sampled_from(POLICIES))
def test_places_are_those_of_the_original(text: str, policy: RedactionPolicy) -> None:
    """
    Replacing what was found, at the places where it was found, gives the redacted text; the rest is untouched.
    """
    result = redact(text, policy)

    rebuilt, position = "", 0
    for one in result.found:
        assert position <= one.start < one.end <= len(text)
        rebuilt += text[position : one.start] + placeholder(one.kind)
        position = one.end
    assert rebuilt + text[position:] == result.text


@RELAXED
@given(st.text())
def test_the_view_knows_its_source(text: str) -> None:
    """
    Every character of the plain view stands for a part of the source, in order.
    """
    plain = view(text)

    assert len(plain.text) == len(plain.starts) == len(plain.ends)
    assert all(start < end for start, end in zip(plain.starts, plain.ends, strict=True))
    assert list(plain.starts) == sorted(plain.starts)
    assert view(text) == plain


def test_offsets_hold_behind_characters_that_grow_or_vanish() -> None:
    """
    Entities, zero-width characters, ligatures and accents before a find don't move it.
    """
    text = "Straße &amp; cafe\u0301 \u200b\ufb01n: ana@exemplo.pt!"

    found = redact(text, PUBLIC).found

    assert [text[one.start : one.end] for one in found] == ["ana@exemplo.pt"]


def test_a_find_covers_what_hides_in_it() -> None:
    """
    Zero-width characters and entities inside an address go with it.
    """
    text = "x a\u200bna&#64;exem\u00adplo.pt y"

    assert redact(text, PUBLIC) == Redacted(text="x [redacted email] y", found=(Found("email", 2, 22),))


@pytest.mark.parametrize(
    "text",
    [
        "Write to hello@exemplo.pt or HELLO @ exemplo . pt",
        "hello (at) exemplo (dot) pt",
        "Call +351 21 345 67 89, 00351-213-456-789 or (+351) 213456789",
        "+44 (0)20 7946 0958",
    ],
)
def test_public_contacts_stay_in_every_spelling(text: str) -> None:
    """
    A listed contact stays, however it is written.
    """
    assert redact(text, LISTED).text == text


def test_other_contacts_go_beside_public_ones() -> None:
    """
    Being near a listed contact makes no contact public.
    """
    text = "hello@exemplo.pt, ana@exemplo.pt; 21 345 67 89, 21 345 67 80"

    assert redact(text, LISTED).text == "hello@exemplo.pt, [redacted email]; 21 345 67 89, [redacted phone]"


def test_no_contact_is_public_in_a_cv() -> None:
    """
    A CV's contacts go even where the site lists them.
    """
    policy = RedactionPolicy(name="cv", public_contacts=("hello@exemplo.pt",))

    assert redact("hello@exemplo.pt", policy).text == "[redacted email]"


@pytest.mark.parametrize(
    "text",
    [
        "José Silva",
        "jose silva",
        "JOSÉ  SILVA",
        "Jose\u0301 Silva",
        "José\nSilva",
        "José-Silva",
        "J o s é S i l v a",
        "J.o.s.é S.i.l.v.a",
        "Jo\u200bsé Sil\u00adva",
        "Ｊｏｓé Ｓｉｌｖａ",
        "Jоsé Silvа",
        "Jos&#233; Silva",
        "José <b>Silva</b>",
        "maruf 805035 t99zz",
    ],
)
def test_literals_go_in_every_disguise(text: str) -> None:
    """
    A configured literal goes through case, accents, spacing, line breaks, look-alikes and entities.
    """
    left = redact(f"By {text}.", NAMED).text

    assert left.replace("</b>", "") == "By [redacted literal]."


def test_a_literal_inside_a_longer_word_stays() -> None:
    """
    A short literal is a word of its own, not a part of others.
    """
    assert (
        redact("Li lives in Lisbon and likes Lili", NAMED).text
        == "[redacted literal] lives in Lisbon and likes Lili"
    )


def test_placeholders_hide_nothing_and_survive() -> None:
    """
    A placeholder that came with the text stays one, and what follows it is looked at.
    """
    text = "Nationality: [redacted personal detail] | [redacted email], ana@exemplo.pt"

    assert (
        redact(text, CV).text
        == "Nationality: [redacted personal detail] | [redacted email], [redacted email]"
    )


def test_survivors_name_what_is_left() -> None:
    """
    A text that was not redacted has survivors, with their places in it.
    """
    assert survivors("To ana@exemplo.pt", PUBLIC) == (Found("email", 3, 17),)


def test_the_report_counts_and_never_tells() -> None:
    """
    A report holds kinds and counts alone.
    """
    found = redact("ana@exemplo.pt, bo@exemplo.pt, +351 912 345 678", PUBLIC).found

    assert report(found) == {"email": 2, "phone": 1}


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_length_alone(piece: str) -> None:
    """
    Text made to be slow is not; a megabyte of it is tried in the integration tests.
    """
    text = (piece * (8_000 // len(piece) + 1))[:8_000]

    started = time.process_time()
    redact(text, CV)

    assert time.process_time() - started < 10  # a machine four times slower needs one or two
