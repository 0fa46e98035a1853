"""The family without a model: rules, nearest examples, quoted sentences."""

from magpie.asking.extractive.classifier import ExtractiveClassifier
from magpie.asking.extractive.planner import ExtractivePlanner
from magpie.asking.extractive.writer import ExtractiveWriter
from magpie.asking.front import Family
from magpie.ports import Embedder
from magpie.site import Site


def extractive_family(site: Site, embedder: Embedder | None) -> Family:
    """`embedder` helps the classifier where it is a local one; what costs money is not asked."""
    local = embedder if embedder is not None and embedder.model.provider == "local" else None
    return Family(classifier=ExtractiveClassifier(site, local), planner=ExtractivePlanner(), writer=ExtractiveWriter(site))


__all__ = ["ExtractiveClassifier", "ExtractivePlanner", "ExtractiveWriter", "extractive_family"]
