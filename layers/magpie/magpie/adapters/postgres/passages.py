"""
Searches of one version, as one viewer.

The functions behind the queries return ids and scores of what the viewer may see; contents are
read under row-level security; and what comes back is looked at once more here.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from magpie.adapters.postgres.boundaries import boundaries
from magpie.adapters.postgres.pool import Database, to_database
from magpie.adapters.postgres.rows import filter_arguments, passage_from_row
from magpie.model import Passage, SourceKey, VersionId, Viewer
from magpie.ports import SearchFilter, SearchQuery

ANY = SearchFilter()


class PostgresPassages:
    """`Passages` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def search(
        self,
        queries: Sequence[SearchQuery],
        *,
        version: VersionId,
        viewer: Viewer,
        limit: int,
        narrow: SearchFilter = ANY,
    ) -> tuple[tuple[Passage, ...], ...]:
        """
        Candidates for each query in the order of the queries; nearest first.

        Query: sql/queries/search.sql. A version that is pruned or unknown has no candidates.
        Raises: OtherModel, DeadlineExceeded, DatabaseUnavailable.
        """
        if not queries:
            return ()
        asked = {
            "vectors": [to_database(query.vector) for query in queries],
            "indexes": [query.index for query in queries],
            "models": [query.model if query.vector is not None else "" for query in queries],
            "words": [query.words for query in queries],
            "languages": [",".join(query.languages) for query in queries],
            "limit": limit,
        }
        placed = await self._placed("search", {**asked, **filter_arguments(narrow)}, version, viewer)
        return tuple(placed.get(place, ()) for place in range(1, len(queries) + 1))

    async def keyword(
        self,
        words: str,
        *,
        version: VersionId,
        viewer: Viewer,
        limit: int,
        languages: Sequence[str],
        narrow: SearchFilter = ANY,
    ) -> tuple[Passage, ...]:
        """Passages with any of the words, best first. Query: sql/queries/keyword.sql."""
        asked = {"words": words, "languages": list(languages), "limit": limit}
        return (await self._placed("keyword", {**asked, **filter_arguments(narrow)}, version, viewer)).get(
            1, ()
        )

    async def exact(
        self,
        term: str,
        *,
        version: VersionId,
        viewer: Viewer,
        limit: int,
        narrow: SearchFilter = ANY,
    ) -> tuple[Passage, ...]:
        """Passages that hold the term as written, most often first. Query: sql/queries/exact.sql."""
        held = boundaries(term)
        if held is None:
            return ()
        asked = {
            "term": term,
            "pattern": held.pattern,
            "blind": held.blind,
            "languages": ["en"],
            "limit": limit,
        }
        return (await self._placed("exact", {**asked, **filter_arguments(narrow)}, version, viewer)).get(
            1, ()
        )

    async def of_sources(
        self, keys: Sequence[SourceKey], *, version: VersionId, viewer: Viewer, first_only: bool = True
    ) -> tuple[Passage, ...]:
        """Chunks of the sources in the order of the keys. Query: sql/queries/of_sources.sql."""
        keys = tuple(dict.fromkeys(keys))
        asked = {
            "key_types": [key.source_type for key in keys],
            "key_names": [key.source_key for key in keys],
            "first_only": first_only,
        }
        placed = await self._placed("of_sources", asked, version, viewer)
        return tuple(passage for place in sorted(placed) for passage in placed[place])

    async def _placed(
        self, name: str, arguments: Mapping[str, Any], version: VersionId, viewer: Viewer
    ) -> dict[int, tuple[Passage, ...]]:
        scoped = {**arguments, "version": version, "visibilities": sorted(viewer.visibilities)}
        rows = await self._database.read(name, scoped, visibilities=viewer.visibilities)
        placed: dict[int, tuple[Passage, ...]] = {}
        for row in rows:
            passage = passage_from_row(row)
            if passage.visibility in viewer.visibilities:
                placed[row["place"]] = (*placed.get(row["place"], ()), passage)
        return placed
