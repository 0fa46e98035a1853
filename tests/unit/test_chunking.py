"""What the chunkers promise, on any text, in any script."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from magpie.ingesting.chunking import CUTTERS, cut
from magpie.ingesting.chunking.boundaries import is_boundary
from magpie.ingesting.chunking.paragraphs import WHOLE_FENCE
from magpie.ingesting.readers.markdown import headings_in
from magpie.model import Span
from magpie.site import Chunking

LONGEST_WORD = 90
PIECES = st.text("abcdefgh .;?!,\n", min_size=1, max_size=LONGEST_WORD) | st.sampled_from(
    [
        "\n\n",
        "A sentence of its own. ",
        "\n\n## A heading\n\n",
        "\n- an item\n- another\n",
        "\n| name | price |\n| --- | --- |\n| rope | 4 |\n| sail | 90 |\n",
        "\n\n```\nfirst = 1\n\nlast = 2\n```\n\n",
        "日本語の文章です。次の文も短い。",
        "ภาษาไทยไม่มีช่องว่างระหว่างคำ",
        "Tiếng Việt có dấu. ",
        "نص عربي قصير. ",
        "café naïve ",
        "👩🏽‍🚀 ",
        "\n\nQ: How much is it?\n\nA: Four pounds.\n\n",
    ]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join)


@st.composite
def chunkings(draw: st.DrawFn) -> Chunking:
    size = draw(st.integers(200, 500))
    style = draw(st.sampled_from(sorted(CUTTERS)))
    return Chunking(style=style, size=size, overlap=draw(st.integers(0, size // 2)))


def spans_of(text: str, chunking: Chunking) -> tuple[Span, ...]:
    return cut(text, headings_in(text), chunking)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, chunking=chunkings())
def test_nothing_is_lost(text, chunking):
    """What no chunk holds is white space, and the chunks come in the order of the text."""
    spans = spans_of(text, chunking)

    reached = 0
    for span in spans:
        assert text[reached : span.start].strip() == ""
        assert span.end > reached
        reached = span.end
    assert text[reached:].strip() == ""


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, chunking=chunkings())
def test_no_chunk_is_larger_than_its_size(text, chunking):
    """Only a fenced block may stretch a chunk, to half as much again."""
    longest = chunking.size * (WHOLE_FENCE if "```" in text else 1)

    assert all(0 < span.end - span.start <= longest for span in spans_of(text, chunking))


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, chunking=chunkings())
def test_no_word_is_cut(text, chunking):
    """A chunk begins and ends where a word does, unless a word is longer than half a chunk."""
    longest = max((len(word) for word in text.split()), default=0)
    if longest * 2 > chunking.size:
        return

    for span in spans_of(text, chunking):
        assert is_boundary(text, span.start)
        assert is_boundary(text, span.end)
        assert text[span.start : span.end] == text[span.start : span.end].strip()


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, chunking=chunkings())
def test_neighbours_share_at_most_the_overlap(text, chunking):
    """And every chunk brings something new."""
    spans = spans_of(text, chunking)

    for one, other in pairwise(spans):
        assert one.end - other.start <= chunking.overlap
        assert one.start < other.start
        assert one.end < other.end


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, chunking=chunkings())
def test_cutting_is_deterministic(text, chunking):
    """The same text is cut the same way, else every run would embed it anew."""
    assert spans_of(text, chunking) == spans_of(text, chunking)


@pytest.mark.parametrize("style", sorted(CUTTERS))
def test_a_short_text_is_kept_whole(style):
    """What fits is one chunk; a text of white space is none."""
    assert spans_of("\n A short text.\n", Chunking(style=style)) == (Span(start=2, end=15),)
    assert spans_of(" \n\n ", Chunking(style=style)) == ()


@pytest.mark.parametrize("style", ["paragraphs", "window"])
def test_the_overlap_is_the_tail_of_the_chunk_before(style):
    """As long as it may be without cutting a word."""
    text = " ".join(f"word{number:03}" for number in range(200))

    spans = spans_of(text, Chunking(style=style, size=400, overlap=100))

    shared = [one.end - other.start for one, other in pairwise(spans)]
    assert all(100 - len("word000 ") < length <= 100 for length in shared)


@pytest.mark.parametrize("style", ["paragraphs", "window"])
def test_fenced_code_stays_whole(style):
    """Even where it makes a chunk half as large again."""
    code = "```\n" + "\n".join(f"line_{number} = {number}" for number in range(35)) + "\n```"
    text = f"{'Before. ' * 30}\n\n{code}\n\n{'After. ' * 30}"

    spans = spans_of(text, Chunking(style=style, size=400, overlap=60))

    assert 400 < len(code) < 600
    assert any(code in text[span.start : span.end] for span in spans)


@pytest.mark.parametrize("style", ["paragraphs", "window"])
def test_rows_of_a_table_stay_whole(style):
    """No chunk begins or ends inside a row; the head goes with its first row."""
    rows = [f"| part {number} | {'x' * (20 + number)} |" for number in range(40)]
    text = "\n".join(["| name | code |", "| --- | --- |", *rows])

    pieces = [
        text[span.start : span.end] for span in spans_of(text, Chunking(style=style, size=300, overlap=60))
    ]

    assert all(line in text.split("\n") for piece in pieces for line in piece.split("\n"))
    assert pieces[0].startswith("| name | code |\n| --- | --- |\n| part 0 |")


def test_a_heading_goes_with_what_follows():
    """No chunk ends with a heading whose text stands in the next."""
    text = "\n\n".join(f"## Part {number}\n\n{'Some words here. ' * 12}" for number in range(8))

    pieces = [text[span.start : span.end] for span in spans_of(text, Chunking(size=300, overlap=0))]

    assert not any(piece.split("\n")[-1].startswith("## ") for piece in pieces)


def test_windows_prefer_the_better_break():
    """A paragraph's end before a sentence's, a sentence's before a space."""
    first, second = "One two three. " * 20, "Four five six seven eight " * 20
    text = f"{first.strip()}\n\n{second.strip()}"

    spans = spans_of(text, Chunking(style="window", size=400, overlap=0))

    assert text[spans[0].start : spans[0].end] == first.strip()


@pytest.mark.parametrize("mark", ["。", "! ", "؟ ", "। "])
def test_sentences_end_in_many_scripts(mark):
    """A window ends after a sentence of any of them."""
    text = (("字" * 30 if mark == "。" else "mot " * 10 + "mot") + mark) * 12

    spans = spans_of(text, Chunking(style="window", size=200, overlap=0))

    assert all(text[span.start : span.end].endswith(mark.strip()) for span in spans)


def test_sections_are_chunks_of_their_own():
    """`headings` cuts at its level and above; a section of nothing but a heading goes with the next."""
    text = "# Title\n\n## One\n\nFirst.\n\n### Deep\n\nStill one.\n\n## Two\n\nSecond."

    pieces = [text[span.start : span.end] for span in spans_of(text, Chunking(style="headings"))]

    assert pieces == ["# Title\n\n## One\n\nFirst.\n\n### Deep\n\nStill one.", "## Two\n\nSecond."]


def test_a_question_stays_with_its_answer():
    """In an interview with labels, bold names or plain question marks."""
    text = (
        "An introduction.\n\nQ: How old is it?\nA: Ten years.\n\nIt is still used.\n\n"
        "**Interviewer:** And who looks after it?\n\n**Ann:** We do.\n\nWhat comes next?\n\nA new harbour."
    )

    pieces = [text[span.start : span.end] for span in spans_of(text, Chunking(style="interview"))]

    assert pieces == [
        "An introduction.",
        "Q: How old is it?\nA: Ten years.\n\nIt is still used.",
        "**Interviewer:** And who looks after it?\n\n**Ann:** We do.",
        "What comes next?\n\nA new harbour.",
    ]
