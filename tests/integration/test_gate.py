"""The gate on real parts: Postgres, a local model, the site's own questions."""

import json
from pathlib import Path

import psycopg
import pytest

from magpie.errors import GateClosed
from tests.integration.test_asking_whole import SITE, ask, corpus, quay, text_of

__all__ = ["corpus"]

GATED = SITE + "gate: {questions: questions.jsonl, tolerance: 0.1, on_ingest: true}\n"
QUESTIONS = [
    {
        "id": "price",
        "question": "What does a harbour survey cost?",
        "expected_sources": ["prices.md"],
        "key_facts": [{"any_of": ["£4,350"]}],
    },
    {
        "id": "office",
        "question": "Who leads the office in Leith?",
        "expected_sources": ["team.md"],
        "key_facts": [{"any_of": ["Ilse Brandt"]}],
    },
]


def states(url: str) -> list[tuple[str, int]]:
    with psycopg.connect(url) as conn:
        return conn.execute("SELECT state, count(*) FROM corpus_versions GROUP BY 1 ORDER BY 1").fetchall()


async def test_a_worse_draft_is_stopped_and_visitors_notice_nothing(
    empty_database_url: str, corpus: Path
) -> None:
    """
    A page loses its price: the ingest stops with the question that lost its answer, the old answer
    is still given, nothing of the draft is left; asked by hand the gate says the same; and the
    owner who means it publishes all the same.
    """
    (corpus / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    async with quay(empty_database_url, corpus, GATED) as runtime:
        (corpus / "prices.md").write_text("# Prices\n\nPrices of a survey are made on request.\n")

        with pytest.raises(GateClosed) as stopped:
            await runtime.ingest(corpus).run()
        by_hand = await runtime.ingest(corpus).rehearse()
        still = text_of(await ask(runtime, "What does a harbour survey cost?"))
        left = states(empty_database_url)
        meant = await runtime.ingest(corpus).run(skip_gate=True)
        now = text_of(await ask(runtime, "What does a harbour survey cost?"))

    assert "price (What does a harbour survey cost?)" in str(stopped.value)
    assert "office" not in str(stopped.value)
    assert by_hand.gate == stopped.value.report
    assert "£4,350" in still and "£4,350" not in now
    assert left == [("kept", 1)]
    assert meant.version_id is not None


async def test_a_draft_that_answers_as_well_is_published(empty_database_url: str, corpus: Path) -> None:
    """
    Another wording with the same facts passes; the summary tells against which version it was held.
    """
    (corpus / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    async with quay(empty_database_url, corpus, GATED) as runtime:
        first = await runtime.versions.active()
        (corpus / "rope.md").write_text("# Rope walk\n\nThe rope walk is closed for the winter.\n")

        summary = await runtime.ingest(corpus).run()

    assert first is not None and summary.version_id is not None
    assert summary.gate is not None and summary.gate.is_open
    assert (summary.gate.asked, summary.gate.before) == (2, first.id)
