"""Names that only insiders may be told: found however they are written, kept from guests, told to insiders."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from magpie.asking.discretion import Discretion, Safety
from magpie.model import (
    AnswerPart,
    ChatPiece,
    Delta,
    Intent,
    Outcome,
    PlanItem,
    Recommendations,
    RouteAnswer,
    Viewer,
    Visibility,
)
from magpie.site import Privacy, PrivateName
from magpie.text.private_terms import PrivateTerm, PrivateTerms
from tests.fakes import FakeClassifier, FakeRouter, FakeWriter, passage
from tests.unit.asking_site import Desk, done, only, said, site

QUAY = PrivateTerm(name="Kestrel Quay", instead="a client")
PERLA = PrivateTerm(name="Perla")
TERMS = PrivateTerms([QUAY, PERLA])
SITE = site(
    privacy=Privacy(
        private_terms=(
            PrivateName(name="Kestrel Quay", also=("KQ Harbours",), instead="a client"),
            PrivateName(name="Perla Oduya"),
        )
    )
)
INSIDER = Viewer(role="admin", visibilities=frozenset(Visibility), identified=True)


@pytest.mark.parametrize(
    "text",
    [
        "KESTREL QUAY",
        "kestrel quay",
        "Kestrel  Quay",
        "Kestrel\nQuay",
        "Kestrel-Quay",
        "KestrelQuay",
        "kestrel_quay",
        "Késtrel Quäy",
        "Kes\u200btrel\u00a0Quay",
        "K e s t r e l  Q u a y",
        "K.e.s.t.r.e.l Q.u.a.y",
        "Kes trel Quay",
        "Кеstrеl Quау",  # some letters are Cyrillic
        "Ｋｅｓｔｒｅｌ Ｑｕａｙ",
        "Kestrel&#32;Quay",
        "**Kestrel** *Quay*",
        "Kestrel Quay's boats",
        "Kestrel Quay’s",
        "Kestrels Quay",
        "Kestrelem Quayem",
        "Quay, Kestrel",
        "(Kestrel Quay)",
        "https://sennit.example/clients/kestrel-quay/",
    ],
)
def test_a_name_is_found_however_it_is_written(text):
    """
    Case, accents, look-alikes, unseen characters, spacing, markup, inflection, order, addresses.
    """
    assert TERMS.names(f"We built the berths of {text} in May.")
    assert "estrel" not in (TERMS.redacted(f"We built the berths of {text} in May.") or "").casefold()


@pytest.mark.parametrize(
    "text",
    [
        "A kestrel sat on the quay.",
        "Kestrelling quayside",
        "per la casa",
        "The perlative",
        "Superla",
        "Lay the plates: per la prima volta.",
        "",
        "…",
    ],
)
def test_other_words_stay(text):
    """
    Words that hold the letters of a name by chance are left alone.
    """
    assert TERMS.redacted(text) == text


def test_public_words_stand_in_place_of_a_name():
    """
    In the case that the place asks for; None where a name has no public words.
    """
    assert (
        TERMS.redacted("Kestrel Quay paid. We thanked Kestrel Quay.") == "A client paid. We thanked a client."
    )
    assert TERMS.redacted("Perla led it.") is None


def test_a_name_in_a_script_without_spaces_is_found_inside_a_run():
    """
    Chinese and Japanese have no word boundaries to look at.
    """
    assert PrivateTerms([PrivateTerm(name="港湾会社")]).names("昨日港湾会社と話した。")


@settings(max_examples=300, deadline=None)
@given(cut=st.integers(min_value=1, max_value=11), before=st.sampled_from(["", "We met ", "1. "]))
def test_a_torn_name_is_seen_coming(cut, before):
    """
    Wherever a name is cut, its first part says that a name may begin there.
    """
    assert TERMS.begins(before + "Kestrel Quay"[:cut])


async def ask(text="Who has the berths?", viewer=None, **parts) -> list[AnswerPart]:
    desk = Desk(site=SITE, **parts)
    return await desk.ask(text, viewer=viewer or Viewer(), deadline=desk.clock.monotonic() + 60)


def router(*contents: str, **more):
    return FakeRouter(
        default=tuple(passage(text, chunk=n, **more) for n, text in enumerate(contents, start=1))
    )


async def test_evidence_of_guests_holds_no_private_name():
    """
    The writer of a guest's answer never sees the name; the trace says that it was taken out.
    """
    writer = FakeWriter(pieces=("A client has 40 berths. [1]",))
    parts = await ask(
        router=router("Kestrel Quay has 40 berths.", "Ask Perla Oduya. We moor boats."), writer=writer
    )

    evidence = [item.text for item in writer.tasks[0].evidence]
    assert evidence == ["A client has 40 berths.", "We moor boats."]
    assert said(parts).strip() == "A client has 40 berths."
    assert done(parts).trace["safety"] == Safety.EXTERNAL_REDACTED


async def test_insiders_are_told_names():
    """
    For who may see internal pages the name stays, and the trace says that it was told.
    """
    parts = await ask(
        viewer=INSIDER,
        router=router("Kestrel Quay has 40 berths."),
        writer=FakeWriter(pieces=("Kestrel Quay has 40 berths. [1]",)),
    )

    assert said(parts).strip() == "Kestrel Quay has 40 berths."
    assert done(parts).trace["safety"] == Safety.INTERNAL_NAMED


async def test_who_asks_for_a_private_name_is_handed_over():
    """
    To a guest even "we know them" would confirm something.
    """
    parts = await ask(
        "Is K e s t r e l Quay a client of yours?", router=router("Kestrel Quay has 40 berths.")
    )

    assert done(parts).outcome is Outcome.HANDOFF
    assert "estrel" not in said(parts)
    assert done(parts).trace["safety"] == Safety.EXTERNAL_FALLBACK


async def test_a_page_whose_address_names_somebody_is_not_cited():
    """
    It still proves, but neither address, key nor title goes out, in citations or recommendations.
    """
    named = passage(
        "The berths of Kestrel Quay cost £40.",
        key="article:kestrel-quay",
        title="Berths at Kestrel Quay",
        url="https://sennit.example/kestrel-quay/",
    )
    parts = await ask(
        router=FakeRouter(default=(named,)),
        writer=FakeWriter(pieces=("The berths of a client cost £40. [1]",)),
    )

    assert said(parts).strip() == "The berths of a client cost £40."
    assert done(parts).citations == ()
    assert only(parts, Recommendations) == []


async def test_what_a_writer_knows_by_itself_is_redacted():
    """
    A model that names somebody all the same: public words take the name's place.
    """
    parts = await ask(
        writer=FakeWriter(
            pieces=(
                "We answer Kestrel",
                " Quay within one working day. [1]",
            )
        )
    )

    assert said(parts).strip() == "We answer a client within one working day."
    assert done(parts).trace["safety"] == Safety.EXTERNAL_REDACTED


class RewritingWriter(FakeWriter):
    """Names somebody in its answer; writes what it is told when it shall write a sentence anew."""

    def __init__(self, again: str) -> None:
        naming = "Perla Oduya answers within one working day. [1]"
        super().__init__(pieces=(naming, " We answer within one working day. [1]"))
        self.again = again

    async def write(self, task):
        if task.purpose != "repair":
            async for piece in super().write(task):
                yield piece
            return
        self.tasks.append(task)
        yield ChatPiece(text=self.again)


@pytest.mark.parametrize(
    ("again", "told", "state"),
    [
        (
            "Somebody answers within one working day.",
            "Somebody answers within one working day. We answer within one working day.",
            "external_regenerated",
        ),
        ("Perla answers. Perla Oduya does.", "We answer within one working day.", "external_fallback"),
        ("She answers within 3 hours.", "We answer within one working day.", "external_fallback"),
    ],
)
async def test_a_name_without_public_words_is_written_around_or_dropped(again, told, state):
    """
    The model writes the sentence anew without the name, which it is not told; where that names
    somebody again, or asserts what nothing proves, the sentence is dropped.
    """
    writer = RewritingWriter(again)
    parts = await ask(writer=writer, router=router("We answer within one working day. Somebody answers."))

    assert " ".join(said(parts).split()) == told
    assert done(parts).trace["safety"] == state
    assert "Perla" not in writer.tasks[1].draft


async def test_a_name_spread_over_sentences_is_held_together():
    """
    `Kestrel. Quay` at the end of one sentence and the beginning of the next is one name.
    """
    parts = await ask(writer=FakeWriter(pieces=("We answer, Kestrel. Quay too.",), name="extractive"))

    deltas = [part.text for part in parts if isinstance(part, Delta)]
    assert "Kestrel" not in "".join(deltas)
    assert not any("Quay" in text for text in deltas)


TEXT = (
    "We answer within one working day. Ask Kestrel Quay's staff. Kestrel-Quay and KQ Harbours pay. We answer."
)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, len(TEXT)])
async def test_a_stream_is_redacted_wherever_it_is_cut(size):
    """
    However the stream is cut into pieces, the same text goes out, and no name in any of it.
    """
    pieces = tuple(TEXT[at : at + size] for at in range(0, len(TEXT), size))
    writer = FakeWriter(pieces=pieces, name="extractive")
    whole = await ask(writer=FakeWriter(pieces=(TEXT,), name="extractive"))

    parts = await ask(writer=writer)

    assert said(parts) == said(whole)
    assert "estrel" not in said(parts) and "KQ" not in said(parts)
    assert "A client and a client pay." in said(parts)


async def test_small_talk_of_a_model_names_nobody():
    """
    A classifier's ready reply goes past no writer; it is looked at all the same.
    """
    parts = await ask(
        "How was your day?",
        classifier=FakeClassifier(
            intent=Intent.SMALL_TALK, response="Busy, with Kestrel Quay and Perla Oduya."
        ),
    )

    assert "estrel" not in said(parts) and "Perla" not in said(parts)
    assert done(parts).trace["safety"] == Safety.EXTERNAL_FALLBACK


def test_without_names_nothing_is_touched():
    """
    A site that lists no private terms pays nothing: the very passages come back.
    """
    found = RouteAnswer(
        route="semantic", item=PlanItem(query="a"), passages=(passage("Kestrel Quay has 40 berths."),)
    )

    seen = Discretion(PrivateTerms(), Viewer()).look([found])

    assert seen.answers == (found,)
    assert seen.answers[0].passages[0] is found.passages[0]
