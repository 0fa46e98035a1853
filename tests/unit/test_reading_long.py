"""Which files are read in a process of their own."""

import time

import pytest

from magpie.errors import DocumentRefused
from magpie.ingesting.chunking import cut
from magpie.ingesting.languages import detect_language
from magpie.ingesting.reading import LONG_BYTES, read
from magpie.ingesting.redacting import without_secrets
from magpie.model import Document, Reading
from magpie.site import Chunking, SourceRule
from tests.fakes_of_ingesting import FakeHostile

ELSEWHERE = (Reading(text="read elsewhere"),)


async def read_here(path: str, raw: bytes, readings: tuple[Reading, ...] = ELSEWHERE) -> str:
    document = Document(path=path, raw=raw, raw_hash="")
    return (await read(document, SourceRule(path="**"), {}, FakeHostile(readings=readings)))[0].text


@pytest.mark.parametrize(("path", "kind"), [("a.md", "markdown"), ("a.html", "html")])
async def test_long_files_are_read_where_time_and_memory_are_limited(path: str, kind: str) -> None:
    """A short one is read at once: to start a process for it would take longer than to read it."""
    assert await read_here(path, b"word " * 10) == ("word " * 10).strip()
    assert await read_here(path, b"word " * (LONG_BYTES[kind] // 5 + 1)) == "read elsewhere"


async def test_a_reader_that_goes_too_deep_refuses_the_file() -> None:
    """Recursion without end is the file's fault, and no crash."""
    with pytest.raises(DocumentRefused) as caught:
        await read_here("a.md", b"+++\na = " + b"[" * 20_000 + b"\n+++\ntext")

    assert caught.value.code == "too_deep"


async def test_a_pdf_is_one_whatever_its_name_says() -> None:
    """Its insides are no text for anybody."""
    assert await read_here("a.txt", b"%PDF-1.7\n") == "read elsewhere"


def seconds(piece: str, size: int) -> float:
    """Of the processor, whatever else the machine does; the quickest of three, without a collection of garbage."""
    text = piece * (size // len(piece))
    return min(_seconds(text) for _ in range(3))


def _seconds(text: str) -> float:
    started = time.process_time()
    without_secrets(Reading(text=text))
    detect_language(text)
    cut(text, (), Chunking())
    return time.process_time() - started


@pytest.mark.parametrize("piece", ["`", "[a](", ">", "<div>"])
def test_what_comes_after_reading_takes_no_longer_than_the_text_is(piece: str) -> None:
    """
    Secrets, language and chunks of a text that was made to be slow: four times the text takes about four times as
    long, where backtracking would take sixteen times or worse.
    """
    seconds(piece, 1_000)  # what is loaded at the first use

    assert seconds(piece, 100_000) < 10 * max(seconds(piece, 25_000), 0.02)
