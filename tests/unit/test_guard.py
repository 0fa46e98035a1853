"""Verify, then release: what the evidence says goes out, what it doesn't stays, wherever a stream was cut."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from magpie.asking.discretion import Discretion
from magpie.asking.guard import Guard, GuardRules, Held, Reason, Released, judge
from magpie.asking.links import LinkTokens
from magpie.asking.prompts import PromptMarks
from magpie.asking.release import Manner, Ready, Release
from magpie.asking.support import Block, GuardEvidence
from magpie.model import Scope, Viewer
from magpie.text.private_terms import PrivateTerm, PrivateTerms
from tests.generators.written import written


def block(number, text, title="Prices", scope=Scope.COMPANY, person=None):
    return Block(number=number, title=title, text=text, scope=scope, language="en", person_key=person)


BLOCKS = [
    block(
        1, "A discovery takes two weeks and costs £4,200. It begins on 3 May 2024. We do not work on Sundays."
    ),
    block(
        2,
        "Ana Figueiredo leads Bellwether. She joined in 2019 and writes Go.",
        "Ana Figueiredo",
        Scope.PERSON,
        "ana-figueiredo",
    ),
    block(3, "Tendai Marufu joined in 2021 and writes Rust.", "Tendai Marufu", Scope.PERSON, "tendai-marufu"),
    block(4, "We read a book on Haskell.", "A month of reading", Scope.ARTICLE),
]
RULES = GuardRules(
    own_names=("Sennit Works",),
    people=(("ana-figueiredo", "Ana Figueiredo"), ("tendai-marufu", "Tendai Marufu")),
)


def verdict(sentence, question="", language="en"):
    evidence = GuardEvidence(BLOCKS, question, language)
    return judge(f"{sentence} ", evidence, GuardRules(**{**_fields(RULES), "language": language}))


def _fields(rules):
    return {name: getattr(rules, name) for name in rules.__dataclass_fields__}


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("A discovery costs £4,200.", "en"),
        ("A discovery costs 4200 pounds and takes a fortnight.", "en"),
        ("It takes 14 days.", "en"),
        ("It began on 2024-05-03.", "en"),
        ("A descoberta custa 4.200 libras e dura duas semanas.", "pt"),
        ("Die Discovery kostet 4.200 £ und dauert zwei Wochen.", "de"),
        ("It begins in May 2024.", "en"),
        ("We don't work on Sundays.", "en"),
        ("Ana joined in 2019.", "en"),
        ("Ana Figueiredo writes Go.", "en"),
    ],
)
def test_what_the_evidence_says_goes_out(sentence, language):
    """
    Quoted, paraphrased, with numbers and dates in other forms, translated.
    """
    assert isinstance(verdict(sentence, language=language), Released)


@pytest.mark.parametrize(
    ("sentence", "question", "reason"),
    [
        ("A discovery costs £4,300.", "", Reason.UNSUPPORTED),
        ("A discovery costs €4,200.", "", Reason.UNSUPPORTED),
        ("A discovery takes two months.", "", Reason.UNSUPPORTED),
        ("It begins on 4 May 2024.", "", Reason.UNSUPPORTED),
        ("Our rate is $20.", "Is your rate $20?", Reason.ONLY_IN_QUESTION),
        ("Yes, that is right.", "Does a discovery cost £9,000?", Reason.AFFIRMS_QUESTION),
        ("Ana writes Rust.", "", Reason.ANOTHER_SUBJECT),
        ("Tendai joined in 2019.", "", Reason.ANOTHER_SUBJECT),
        ("We work on Sundays.", "", Reason.NEGATION),
        ("A discovery does not cost £4,200.", "", Reason.NEGATION),
        ("Harold Pembry leads Bellwether.", "", Reason.UNSUPPORTED),
        ("We delivered a system in Haskell.", "", Reason.ARTICLE_ONLY),
        ("Write to sales@elsewhere.example.", "", Reason.UNSUPPORTED),
        ("Call +44 1632 960 999.", "", Reason.UNSUPPORTED),
        ("See elsewhere[.]example for more.", "", Reason.UNSUPPORTED),
        ("See elsewhere dot example for more.", "", Reason.UNSUPPORTED),
    ],
)
def test_what_it_does_not_say_is_held(sentence, question, reason):
    """
    A digit, currency, unit, date or name changed; a fact of the question; another person's; denied.
    """
    found = verdict(sentence, question)

    assert isinstance(found, Held)
    assert found.reason is reason


@pytest.mark.parametrize(
    ("sentence", "language", "goes_out"),
    [
        ("Arr, me hearties, the treasure lies under the old lighthouse.", "en", False),
        ("First mix the powder with sugar, then light the fuse slowly.", "en", False),
        ("Would you like to hear about treasure under lighthouses?", "en", True),
        ("Our pages say nothing about pirates, treasure or lighthouses.", "en", True),
        ("O tesouro está debaixo do velho farol da ilha grande.", "pt", True),
        ("Arr, me hearties!", "en", True),
    ],
)
def test_a_statement_about_something_else_is_held(sentence, language, goes_out):
    """
    Without a fact in it a sentence must still speak of what the evidence speaks of; questions, a
    "we don't say", few words and other languages can't be told by their words.
    """
    found = verdict(sentence, language=language)

    assert isinstance(found, Released) is goes_out
    assert goes_out or found.reason is Reason.UNRELATED


TEXT = (
    "A discovery costs £4,200. [1] It takes 2 weeks, i.e. 14 days [1]. Dr. Pembry says €9,000. [1]\n\n"
    "- Ana Figueiredo: Go [2]\n- Tendai: Rust [3]\n\nSee [[link:1]] or [us](https://evil.example/x). Kestrel Quay paid 4.200 pounds. "
    "It **begins** on 3 May 2024! And “we” don't work on Sundays… [1] Bye"
)
DISCRETION = Discretion(PrivateTerms([PrivateTerm(name="Kestrel Quay", instead="a client")]), Viewer())


def released(pieces):
    """Everything that comes out of a text in these pieces, in order."""
    links = LinkTokens(("sennit.example",))
    links.hide("https://sennit.example/prices")
    manner = Manner(discretion=DISCRETION, marks=PromptMarks(canary="c0ffee0123456789"), name="Fid")
    release = Release(links, manner, Guard(GuardEvidence(BLOCKS, "", "en"), RULES))
    return [found for piece in pieces for found in release.feed(piece)] + [*release.finish()]


def test_the_same_text_cut_at_every_place_gives_the_same_release():
    """
    Each place of the text, between any two characters, and one character at a time.
    """
    whole = released([TEXT])

    assert sum(isinstance(found, Ready) for found in whole) >= 6
    assert sum(isinstance(found, Held) for found in whole) >= 1
    for place in range(1, len(TEXT)):
        assert released([TEXT[:place], TEXT[place:]]) == whole, TEXT[max(0, place - 20) : place]
    assert released(list(TEXT)) == whole


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(min_value=1, max_value=len(TEXT) - 1), max_size=12, unique=True).map(sorted))
def test_many_cuts_at_once_change_nothing(places):
    """
    However many pieces a provider's stream comes in.
    """
    edges = [0, *places, len(TEXT)]

    assert released([TEXT[a:b] for a, b in itertools.pairwise(edges)]) == released([TEXT])


def test_the_first_sentence_leaves_as_soon_as_it_stands():
    """
    Nothing but the next word is waited for, and never more than a bound of characters is held.
    """
    guard = Guard(GuardEvidence(BLOCKS, "", "en"), RULES)

    early = guard.feed("A discovery costs £4,200. It ta")
    rambling = Guard(GuardEvidence(BLOCKS, "", "en"), GuardRules(longest=100))
    held = [len(verdicts) for verdicts in (rambling.feed("word " * 10) for _ in range(20))]

    assert [one.text for one in early if isinstance(one, Released)] == ["A discovery costs £4,200. "]
    assert sum(held) >= 9


def test_sentences_that_people_wrote_are_told_apart():
    """
    Over texts of many trades and eight languages: of what was changed hardly anything leaves, of what is true
    hardly anything is held.
    """
    pairs = written()
    changed = [pair for pair in pairs if pair.kind not in ("", "negation")]
    denied = [pair for pair in pairs if pair.kind == "negation"]
    true = [pair for pair in pairs if not pair.kind]

    assert len(changed) >= 200 and len(denied) >= 20 and len(true) >= 190
    assert [pair.sentence for pair in changed if pair.wrong][12:] == []
    assert [pair.sentence for pair in denied if pair.wrong][9:] == []
    assert [pair.sentence for pair in true if pair.wrong][11:] == []


@pytest.mark.parametrize(
    "said",
    [
        "c0ffee0123456789",
        "c-0-f-f-e-e-0-1-2-3-4-5-6-7-8-9",
        "9876543210eeff0c",
        "YzBmZmVlMDEyMzQ1Njc4OQ==",
        "63306666656530313233343536373839",
        "p0ssrr0123456789",
    ],
)
def test_the_mark_of_the_prompt_is_known_in_disguise(said):
    """
    Spread, backwards, in base64, in hexadecimal digits, and with its letters turned.
    """
    assert PromptMarks(canary="c0ffee0123456789").found_in(f"It is {said}.") == "canary"
    assert PromptMarks(canary="c0ffee0123456789").found_in("It costs £4,200.") == ""
