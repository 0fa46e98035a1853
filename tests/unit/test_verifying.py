"""Receipts, verified: what holds, what does not, and what can't be known."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from magpie.asking.chain import ModelChain, PricedModel
from magpie.asking.events import event
from magpie.asking.front import Family
from magpie.asking.prompted import PromptedWriter
from magpie.asking.prompts import PROMPT_HASH
from magpie.asking.receipts import MOST_OF_A_RECEIPT, Receipts
from magpie.asking.recording import Recorder
from magpie.asking.trail import Clock
from magpie.asking.verifying import Given, given_in, verified
from magpie.errors import ProviderUnavailable
from magpie.model import VersionId
from tests.fakes import (
    FakeChatModel,
    FakeClassifier,
    FakePlanner,
    FakeRecords,
    FakeRouter,
    FakeWriter,
    passage,
)
from tests.unit.asking_site import KEY, Desk, done, said, site

HASHES = ("a" * 64, "b" * 64)
WORDS = ("We answer within one working day.", "The studio is open from Monday to Friday.")


@dataclass
class Shelves:
    """The passages of version 7, the only one that is kept."""

    hashes: frozenset[str] = frozenset(one[:32] for one in HASHES)

    async def standing(self, hashes: Sequence[str], version: VersionId) -> frozenset[str] | None:
        return self.hashes & set(hashes) if version == 7 else None


async def given(desk: Desk | None = None) -> Given:
    """An answer that rests on two passages."""
    passages = tuple(
        replace(passage(words, chunk=number, key=f"page:p{number}", url=None), content_hash=hash_)
        for number, (words, hash_) in enumerate(zip(WORDS, HASHES, strict=True), 1)
    )
    desk = desk or Desk(
        router=FakeRouter(default=passages),
        writer=FakeWriter(pieces=(f"{WORDS[0]} [1] ", f"{WORDS[1]} [2]")),
    )
    parts = await desk.ask("How fast?", session_id="s1")
    return Given(receipt=done(parts).receipt, text=said(parts), answer_id="a1")


async def test_what_we_said_holds():
    """
    Signature, text and evidence; and the receipt tells all that X7 asks for.
    """
    verdict = await verified(await given(), Receipts(KEY), Shelves())

    assert (verdict.holds, verdict.signature, verdict.text, verdict.evidence) == (True, True, True, True)
    receipt = verdict.receipt
    assert receipt is not None
    assert (receipt.version_id, receipt.writer, receipt.session_id) == (7, "fake-writer", "s1")
    assert receipt.evidence == tuple(one[:32] for one in HASHES)
    assert len(receipt.policy_hash) == 32
    assert dict(receipt.verdicts) == {"released": 2}
    assert receipt.at.tzinfo is not None


async def test_one_altered_byte_of_the_receipt_fails():
    """
    Every byte, changed in every bit: nothing holds.
    """
    whole = await given()
    raw = whole.receipt.encode()

    for place in range(len(raw)):
        for bit in range(8):
            changed = bytes([*raw[:place], raw[place] ^ (1 << bit), *raw[place + 1 :]])
            altered = Given(receipt=changed.decode("latin-1"), text=whole.text)
            assert not (await verified(altered, Receipts(KEY), Shelves())).holds, (place, bit)


async def test_one_altered_byte_of_the_text_fails():
    """
    Every letter, changed: the signature holds, the text does not.
    """
    whole = await given()
    text = whole.text.strip()

    for place in range(len(text)):
        altered = Given(
            receipt=whole.receipt, text=text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]
        )
        verdict = await verified(altered, Receipts(KEY), Shelves())
        assert (verdict.holds, verdict.signature, verdict.text) == (False, True, False), place


async def test_a_passage_that_does_not_stand_any_more_is_told():
    """
    A version without one of the passages is not the one that was answered from.
    """
    verdict = await verified(await given(), Receipts(KEY), Shelves(hashes=frozenset({HASHES[0][:32]})))

    assert (verdict.holds, verdict.evidence) == (False, False)
    assert verdict.notes == ("1 of 2 passages do not stand in version 7",)


async def test_a_receipt_of_another_answer_does_not_hold():
    """
    A receipt is that of one answer.
    """
    whole = await given()

    verdict = await verified(Given(receipt=whole.receipt, answer_id="a2"), Receipts(KEY), Shelves())

    assert (verdict.holds, verdict.text) == (False, False)


@pytest.mark.parametrize(("masked", "holds"), [(True, True), (False, False)])
async def test_a_masked_text_is_not_what_was_signed(masked, holds):
    """
    The record's text may have lost personal data: that can't be compared, and is said. Any other text fails.
    """
    whole = await given()

    verdict = await verified(
        Given(receipt=whole.receipt, text="[redacted]", masked=masked), Receipts(KEY), Shelves()
    )

    assert (verdict.holds, verdict.text) == (holds, None if masked else False)
    assert verdict.notes


async def test_the_key_before_the_last_change_still_proves():
    """
    After a change of keys old receipts hold as long as the previous key is named, then no more.
    """
    whole = await given()

    during = await verified(whole, Receipts("another key for tests, long enough", KEY), Shelves())
    after = await verified(whole, Receipts("another key for tests, long enough"), Shelves())

    assert (during.holds, after.holds) == (True, False)


async def test_a_receipt_is_small():
    """
    Eight passages and citations fit: fifty of them are kept by a page, five travel with each question.
    """
    many = tuple(
        replace(
            passage(
                chunk=n,
                key=f"article:a-title-of-usual-length-{n}",
                url=f"https://sennit.example/articles/{n}/",
            ),
            content_hash=hashlib.sha256(str(n).encode()).hexdigest(),
        )
        for n in range(1, 9)
    )
    words = tuple(f"We answer within one working day. [{n}] " for n in range(1, 9))  # each proves it

    whole = await given(Desk(router=FakeRouter(default=many), writer=FakeWriter(pieces=words)))

    assert len(whole.receipt) < MOST_OF_A_RECEIPT


async def test_the_model_that_really_wrote_is_named():
    """
    Where the first choice fails, receipt and record name the one that took over.
    """
    models = (
        FakeChatModel(name="first", answers=(ProviderUnavailable("first", "is down"),)),
        FakeChatModel(name="second", answers=("We answer within one working day. [1]",)),
    )
    clock, ours, records = Clock(), site(), FakeRecords()
    chain = ModelChain([PricedModel(model=model) for model in models], clock)
    writer = PromptedWriter(ours, chain, clock, "canary")
    family = Family(
        classifier=FakeClassifier(), planner=FakePlanner(), writer=writer, prompt_hash=PROMPT_HASH
    )
    desk = Desk(family=family, recorder=Recorder(ours, records, clock, prompt_hash=PROMPT_HASH, record_s=30))

    parts = await desk.ask("How fast?", session_id="s1")

    receipt = desk.receipts.read(done(parts).receipt)
    assert receipt is not None
    assert (receipt.writer, receipt.prompt_hash) == ("second", PROMPT_HASH)
    assert (records.kept[0].model, records.kept[0].prompt_hash) == ("second", PROMPT_HASH)


# --- Where receipts come from -----------------------------------------------------------------


async def test_a_stream_is_read_as_it_came():
    """
    From the events of a stream come text, answer and receipt.
    """
    desk = Desk()
    parts = await desk.ask("How fast?", session_id="s1")
    events = [json.loads(json.dumps(event(part, "a1"))) for part in parts]

    (found,) = given_in(events)

    assert (found.text, found.answer_id) == (said(parts), "a1")
    assert (await verified(found, desk.receipts, Shelves())).text


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([{"receipt": "r", "text": "t", "answer_id": "a"}], [Given(receipt="r", text="t", answer_id="a")]),
        ([{"receipt": "r"}, {"receipt": "s"}], [Given(receipt="r"), Given(receipt="s")]),
        (
            [{"messages": [{"receipt": "r", "answer": "x", "masked": True}, {"receipt": ""}, 7]}],
            [Given(receipt="r", text="x", masked=True)],
        ),
        ([{"event": "start"}, {"event": "error"}], []),
        ([{"text": "without"}], []),
    ],
)
def test_receipts_are_found_in_what_we_print(values, found):
    """
    One answer, many, an exported conversation; what has no receipt gives none.
    """
    assert list(given_in(values)) == found
