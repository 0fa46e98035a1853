"""A question that spans the switch, and a run that has nothing to switch to."""

import time
from pathlib import Path

from magpie.adapters.corpus_folder import CorpusFolder
from magpie.adapters.postgres import Database, PostgresEmbeddingCache, PostgresVersions
from magpie.adapters.sandbox import SandboxedReader
from magpie.ingesting.run import Ingest, Parts
from magpie.model import AnswerId, Delta, Done, Question, Started, Viewer
from magpie.site import load_site
from tests.corpora import FALLBACK, PRIMARY, WordsEmbedder
from tests.integration.test_asking_whole import ask, corpus, quay, text_of

__all__ = ["corpus"]

QUESTION = "What does a harbour survey cost?"
SITE = """
site: {key: harbour, name: Harbour, url: "https://harbour.example"}
persona: {name: Gull}
sources: [{path: "**/*.md", type: page}]
"""


async def test_a_question_that_spans_the_switch_is_answered_from_the_version_it_began_with(
    empty_database_url: str, corpus: Path
) -> None:
    """
    The price changes while an answer is on its way: that answer holds the price of the version it
    pinned, its receipt names that version, and the next question gets the new one.
    """
    async with quay(empty_database_url, corpus) as runtime:
        first = await runtime.versions.active()
        parts = runtime.asker.ask(question_of())
        began = await anext(parts)
        (corpus / "prices.md").write_text("# Prices\n\nA harbour survey costs £9,900.\n")

        summary = await runtime.ingest(corpus).run()
        rest = [part async for part in parts]
        after = await ask(runtime, QUESTION)

    assert first is not None and isinstance(began, Started)
    assert isinstance(rest[-1], Done)
    assert summary.version_id not in (None, first.id)
    assert began.version_id == first.id
    spoken = "".join(part.text for part in rest if isinstance(part, Delta))
    assert "£4,350" in spoken and "£9,900" not in spoken
    assert "£9,900" in text_of(after) and "£4,350" not in text_of(after)


def question_of() -> Question:
    """A guest's question with a minute's time."""
    return Question(id=AnswerId("span"), text=QUESTION, viewer=Viewer(), deadline=time.monotonic() + 60)


async def test_an_unchanged_corpus_is_neither_read_nor_embedded_nor_written(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """
    The second run goes over connections that can't write at all, with models that can't embed, and
    finds everything as it was; also where a file was only touched.
    """
    for number in range(20):
        (tmp_path / f"page-{number}.md").write_text(f"# Page {number}\n\nWords of page {number}.\n")
    await _ingest(database, tmp_path, WordsEmbedder(PRIMARY)).run()
    (tmp_path / "page-3.md").touch()

    async with Database(f"{database_url}&options=-c%20default_transaction_read_only%3Don") as reading:
        summary = await _ingest(reading, tmp_path, Unable(PRIMARY)).run()

    assert (summary.version_id, summary.unchanged, summary.embedded) == (None, 20, 0)


class Unable(WordsEmbedder):
    """A model that must not be asked."""

    async def embed_passages(self, texts):
        raise AssertionError(f"asked for {len(texts)} vectors")


def _ingest(database: Database, folder: Path, primary: WordsEmbedder) -> Ingest:
    site = load_site(SITE)
    parts = Parts(
        files=CorpusFolder(folder),
        versions=PostgresVersions(database),
        hostile=SandboxedReader(),
        primary=primary,
        fallback=WordsEmbedder(FALLBACK),
        cache=PostgresEmbeddingCache(database),
    )
    return Ingest(site, parts)
