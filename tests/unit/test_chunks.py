"""What a chunk carries besides its words."""

from dataclasses import replace
from datetime import date

import pytest

from magpie.ingesting.chunks import chunks_of
from magpie.ingesting.readers.markdown import headings_in
from magpie.model import Language, Origin, Scope, Source, SourceKey, Visibility
from magpie.site import Chunking
from tests.fakes_of_ingesting import FakeWindow

TEXT = (
    "# Tides\n\n## Spring\n\n"
    + "The spring tide is high. " * 20
    + "\n\n## Neap\n\n"
    + "The neap tide is low. " * 20
)
SOURCE = Source(
    key=SourceKey(source_type="article", source_key="tides"),
    path="posts/tides.md",
    title="Tides",
    text=TEXT.strip(),
    origin=Origin.FIRST_PARTY,
    scope=Scope.ARTICLE,
    visibility=Visibility.PUBLIC,
    language=Language("en"),
    published=date(2024, 3, 9),
    headings=headings_in(TEXT),
    metadata={"subtitle": "High and low", "tags": ["sea", "moon"]},
)
PREAMBLE = "Title: Tides\nSubtitle: High and low\nPublished: 2024-03-09\nTopic: sea, moon"


@pytest.mark.parametrize(
    ("header", "first", "last"),
    [("none", "", ""), ("first", PREAMBLE, ""), ("every", PREAMBLE, "Source: Tides\nSection: Neap")],
)
def test_the_header_tells_the_models_where_a_chunk_comes_from(header, first, last):
    """None, before the first chunk only, or before every one; it is never part of what is shown."""
    chunks, _ = chunks_of(SOURCE, Chunking(size=300, overlap=0, header=header))

    assert (chunks[0].header, chunks[-1].header) == (first, last)
    assert all(chunk.content == SOURCE.text[chunk.span.start : chunk.span.end] for chunk in chunks)


def test_a_chunk_knows_its_section():
    """The headings above it, the page's own title left out."""
    chunks, _ = chunks_of(SOURCE, Chunking(size=300, overlap=0))

    assert (chunks[0].metadata, chunks[-1].metadata) == ({}, {"section": "Neap"})


def test_a_chunk_wider_than_its_model_reads_is_split_and_told():
    """Every piece fits with its header, nothing is lost, and a notice says so."""
    narrow = FakeWindow(window_tokens=60)

    chunks, notices = chunks_of(SOURCE, Chunking(size=1200, header="every"), [narrow])

    assert all(narrow.count_tokens(chunk.embedding_text) <= 60 for chunk in chunks)
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert set(SOURCE.text.split()) <= {word for chunk in chunks for word in chunk.content.split()}
    assert [notice.code for notice in notices] == ["split_for_model"]


def test_a_model_without_a_window_changes_nothing():
    """Chunks are cut by their settings alone."""
    free = FakeWindow(window_tokens=None)

    assert chunks_of(SOURCE, Chunking(), [free]) == chunks_of(SOURCE, Chunking())


def test_the_hash_of_a_chunk_covers_header_and_content():
    """A new title makes a new chunk to embed, the same words the same hash."""
    chunks, _ = chunks_of(SOURCE, Chunking(size=300, overlap=0))
    same, _ = chunks_of(replace(SOURCE, path="elsewhere.md"), Chunking(size=300, overlap=0))
    other, _ = chunks_of(replace(SOURCE, title="Ebb"), Chunking(size=300, overlap=0))

    assert chunks[0].content_hash == same[0].content_hash != other[0].content_hash
    assert chunks[-1].content_hash == other[-1].content_hash
