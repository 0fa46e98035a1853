"""The family without a model: rules, nearest examples, quoted sentences."""

from collections.abc import Iterable

from magpie.asking.extractive.classifier import ExtractiveClassifier
from magpie.asking.extractive.planner import ExtractivePlanner
from magpie.asking.extractive.writer import ExtractiveWriter
from magpie.asking.front import Family
from magpie.ports import Catalogue, Embedder, EmbeddingCache
from magpie.site import Site


def extractive_family(
    site: Site,
    embedder: Embedder | None,
    cache: EmbeddingCache | None = None,
    catalogue: Catalogue | None = None,
) -> Family:
    """
    `embedder` helps the classifier and the writer where it is a local one; what costs money is not asked.
    `cache` keeps the vectors of the classifier's examples from one process to the next.
    """
    local = embedder if embedder is not None and embedder.model.provider == "local" else None
    return Family(
        classifier=ExtractiveClassifier(site, local, cache, catalogue),
        planner=ExtractivePlanner(site),
        writer=ExtractiveWriter(site, local),
    )


async def close_families(families: Iterable[Family]) -> None:
    """Ends what they do behind questions; before the cache goes that they were given."""
    for family in families:
        if isinstance(family.classifier, ExtractiveClassifier):
            await family.classifier.close()


__all__ = [
    "ExtractiveClassifier",
    "ExtractivePlanner",
    "ExtractiveWriter",
    "close_families",
    "extractive_family",
]
