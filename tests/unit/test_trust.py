"""What comes back from the visitor's side, and what may be linked to: believed only where it holds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.chat.client import client_key
from magpie.asking.evidence import merged, numbered
from magpie.asking.links import LinkTokens, may_link
from magpie.asking.receipts import Receipt, Receipts, text_hash
from magpie.asking.signing import Sealer
from magpie.asking.tickets import LIFETIME, Tickets
from magpie.model import (
    AnswerId,
    Citation,
    Language,
    Outcome,
    PlanItem,
    RouteAnswer,
    SourceKey,
    Turn,
    VersionId,
)
from tests.fakes import passage

KEY = "a signing key for tests, long enough"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ORIGIN = "https://sennit.example"

RECEIPT = Receipt(
    answer_id=AnswerId("a1"),
    text_hash=text_hash("We answer within one working day."),
    language=Language("en"),
    outcome=Outcome.ANSWERED,
    citations=(
        Citation(
            number=1,
            title="Contact – á",
            url=None,
            path="",
            key=SourceKey(source_type="page", source_key="c"),
        ),
    ),
    version_id=VersionId(7),
    evidence=("hash-1",),
    writer="fake",
    at=NOW,
)


def test_a_receipt_says_what_was_signed():
    """
    A receipt that holds gives back every field.
    """
    receipts = Receipts(KEY)

    assert receipts.read(receipts.sign(RECEIPT)) == RECEIPT


@settings(max_examples=200)
@given(position=st.integers(min_value=0), replacement=st.characters(codec="utf-8"))
def test_a_receipt_with_one_altered_character_does_not_hold(position, replacement):
    """
    Whatever character is changed, wherever: nothing of the receipt is believed.
    """
    receipts = Receipts(KEY)
    sealed = receipts.sign(RECEIPT)
    place = position % len(sealed)
    altered = sealed[:place] + replacement + sealed[place + 1 :]

    assert receipts.read(altered) == (RECEIPT if altered == sealed else None)


@pytest.mark.parametrize(
    "sealed", ["", ".", "receipt.1", "receipt.1..", "receipt.2.e30.x", "é" * 9, "a" * 20_000]
)
def test_what_is_no_receipt_is_refused(sealed):
    """
    Garbage is refused without an error.
    """
    assert Receipts(KEY).read(sealed) is None


def test_a_receipt_counts_for_its_own_text_and_answer_only():
    """
    Another text, another answer's id or another key's signature: the turn does not count.
    """
    receipts = Receipts(KEY)
    turn = Turn(role="assistant", text="We answer within one working day. ", answer_id=AnswerId("a1"))
    sealed = receipts.sign(RECEIPT)

    assert receipts.verified(turn, sealed).verified
    assert not receipts.verified(replace(turn, text="We answer at once."), sealed).verified
    assert not receipts.verified(replace(turn, answer_id=AnswerId("a2")), sealed).verified
    assert not Receipts(KEY + "!").verified(turn, sealed).verified


def test_a_ticket_is_no_receipt():
    """
    Each kind is sealed with a key of its own.
    """
    sealed = Sealer(KEY, "ticket", 1).seal({"id": "a1"})

    assert Sealer(KEY, "receipt", 1).open(sealed) is None
    assert Sealer(KEY, "receipt", 1).open(sealed.replace("ticket.1", "receipt.1")) is None


def test_a_ticket_keeps_its_session_and_is_renewed():
    """
    The same session goes on, and its time starts anew with each answer.
    """
    tickets = Tickets(KEY)
    first = tickets.admit("", origin=ORIGIN, now=NOW)

    second = tickets.admit(tickets.seal(first), origin=ORIGIN, now=NOW + LIFETIME - timedelta(seconds=1))

    assert (second.session_id, second.note) == (first.session_id, "")
    assert second.expires_at == NOW + 2 * LIFETIME - timedelta(seconds=1)


@pytest.mark.parametrize(
    ("origin", "later", "note"),
    [("https://evil.example", timedelta(0), "other_origin"), (ORIGIN, LIFETIME, "expired")],
)
def test_a_ticket_that_does_not_hold_begins_a_new_session(origin, later, note):
    """
    Another origin, or too late: a new session, and why.
    """
    tickets = Tickets(KEY)
    first = tickets.admit("", origin=ORIGIN, now=NOW)

    second = tickets.admit(tickets.seal(first), origin=origin, now=NOW + later)

    assert second.session_id != first.session_id
    assert second.note == note


def test_a_ticket_survives_the_change_of_the_key():
    """
    What the previous key signed holds and is renewed with the new one; what an older one signed does not.
    """
    old, new, later = Tickets(KEY), Tickets("n" * 32, KEY), Tickets("l" * 32, "n" * 32)
    first = old.admit("", origin=ORIGIN, now=NOW)

    second = new.admit(old.seal(first), origin=ORIGIN, now=NOW)
    third = later.admit(new.seal(second), origin=ORIGIN, now=NOW)
    stale = later.admit(old.seal(first), origin=ORIGIN, now=NOW)

    assert (
        (first.session_id, first.is_new) == (second.session_id, True) == (third.session_id, not third.is_new)
    )
    assert (stale.note, stale.is_new) == ("forged", True)


HOSTS = ("sennit.example", "code.example")


@pytest.mark.parametrize(
    "address",
    [
        "https://sennit.example",
        "http://www.sennit.example:8080/a?b#c",
        "HTTPS://SENNIT.EXAMPLE/a",
        "https://code.example./x",
        "mailto:hello@sennit.example",
        "tel:+441632960417",
    ],
)
def test_links_to_own_and_listed_hosts_may_be_told(address):
    """
    The site's own hosts, those below them, mail and telephone.
    """
    assert may_link(address, HOSTS)


def test_a_site_under_preview_may_link_to_itself():
    """
    A site file whose own address has a port names that host, whatever port a link has.
    """
    assert may_link("http://localhost:1313/about", ["localhost:1313"])
    assert not may_link("http://localhost.evil.example:1313/", ["localhost:1313"])


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "https://sennit.example.evil.example/",
        "https://evilsennit.example/",
        "https://sennit.example@evil.example/",
        "https://evil.example\\@sennit.example/",
        "https://evil.example\\.sennit.example/",
        "//sennit.example/",
        "javascript:alert(1)//sennit.example",
        "data:text/html,sennit.example",
        "ftp://sennit.example/",
        "https://",
        "mailto:",
        "https://sennit.example%2eevil.example/",
        "https://sennit.example:443:80@evil.example/",
        "",
    ],
)
def test_links_elsewhere_may_not(address):
    """
    Other hosts, other schemes, and every disguise of them.
    """
    assert not may_link(address, HOSTS)


def test_tokens_stand_for_addresses_of_the_evidence_alone():
    """
    What was hidden comes back; an unknown token or a bare address vanishes.
    """
    links = LinkTokens(HOSTS)

    hidden = links.hide(
        "See https://sennit.example/a_(b), https://evil.example/x and https://sennit.example/c."
    )

    assert hidden == "See [[link:1]],  and [[link:2]]."
    assert (
        links.show("[[link:2]] [[link:9]] https://sennit.example/d [[link:0]]")
        == "https://sennit.example/c   "
    )


@given(st.text(max_size=300))
def test_no_address_gets_past_the_tokens(text):
    """
    Whatever a writer writes: without evidence no address comes out.
    """
    assert "://" not in LinkTokens(HOSTS).show(f"{text} https://evil.example/{text}").replace(text, "")


def test_each_chunk_once_and_the_strongest_find_kept():
    """
    A chunk that several searches found stands once, with its best score, in order of rank.
    """
    weak, strong, other = (
        passage(chunk=1, score=0.4),
        passage(chunk=1, score=0.9),
        passage(chunk=2, score=0.8),
    )
    answers = [
        RouteAnswer(route="semantic", item=PlanItem(query="a"), passages=(other, weak)),
        RouteAnswer(route="semantic", item=PlanItem(query="b"), passages=(strong,)),
    ]

    found = merged(answers)

    assert [(item.chunk_id, item.score) for item in found] == [(1, 0.9), (2, 0.8)]


def test_a_certain_route_stands_first():
    """
    What a deterministic route gave comes before what a search found, whatever the scores.
    """
    certain = RouteAnswer(
        route="links", item=PlanItem(query="a"), passages=(passage(chunk=3, score=0.1),), certain=True
    )
    search = RouteAnswer(route="semantic", item=PlanItem(query="b"), passages=(passage(chunk=4, score=0.9),))

    assert [item.chunk_id for item in merged([search, certain])] == [3, 4]


@given(
    lengths=st.lists(st.integers(min_value=1, max_value=2000), min_size=1, max_size=8),
    budget=st.integers(min_value=200, max_value=4000),
)
def test_evidence_keeps_to_its_budget(lengths, budget):
    """
    Never more characters than the site allows, numbered from 1 without a gap.
    """
    passages = [passage("word " * (length // 5 + 1), chunk=index) for index, length in enumerate(lengths)]

    evidence = numbered(passages, budget, LinkTokens(HOSTS))

    assert sum(len(item.text) for item in evidence) <= budget
    assert [item.number for item in evidence] == list(range(1, len(evidence) + 1))


@pytest.mark.parametrize(
    ("peer", "forwarded", "hops", "key"),
    [
        ("192.0.2.1", "", 0, "192.0.2.1"),
        ("192.0.2.1", "198.51.100.1", 0, "192.0.2.1"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.1", 1, "198.51.100.1"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.1, 10.0.0.2", 2, "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1:4711", 1, "198.51.100.1"),
        ("10.0.0.1", "", 1, "10.0.0.1"),
        ("2001:db8:1:2:aaaa::1", "", 0, "2001:db8:1:2::/64"),
        ("10.0.0.1", "[2001:db8:1:2::9%eth0]:443", 1, "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "", 0, "192.0.2.1"),
        ("10.0.0.1", "nonsense", 1, "unknown"),
        ("", "", 0, "unknown"),
    ],
)
def test_the_client_is_whom_our_own_proxies_saw(peer, forwarded, hops, key):
    """
    Only entries of trusted hops count; IPv6 is cut to its /64; what is no address is one client.
    """
    assert client_key(peer, forwarded, hops) == key
