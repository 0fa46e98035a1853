"""What a run builds on: the active version and all that it holds."""

from collections.abc import Mapping
from dataclasses import dataclass

from magpie.errors import CorpusInvalid
from magpie.model import EmbeddingModel, SourceKey, StoredSource, Version, VersionId
from magpie.ports import Versions


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """`version` is None before the first."""

    version: Version | None
    stored: Mapping[SourceKey, StoredSource]

    @property
    def id(self) -> VersionId | None:
        return self.version.id if self.version else None


async def base_of(versions: Versions) -> Base:
    """The active version with all that it holds."""
    active = await versions.active()
    stored = await versions.stored(active.id) if active else ()
    return Base(version=active, stored={one.key: one for one in stored})


def check_models(active: Version | None, primary: EmbeddingModel, fallback: EmbeddingModel | None) -> None:
    """
    Vectors of two models can't be compared: another model needs all of the corpus again.

    Raises: CorpusInvalid.
    """
    if active is None:
        return
    for had, model in ((active.primary, primary), (active.fallback, fallback)):
        if had is not None and model is not None and had.identity != model.identity:
            raise CorpusInvalid(
                f"version {active.id} was embedded with {had.identity}, the site file names "
                f"{model.identity}; run `magpie reindex` to move to it"
            )
