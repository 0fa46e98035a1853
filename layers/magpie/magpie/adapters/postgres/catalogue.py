"""Which sources a version has, and which version answers."""

from collections import OrderedDict
from collections.abc import Hashable

from magpie.adapters.postgres.pool import Database
from magpie.adapters.postgres.rows import source_row_from_row, version_from_row
from magpie.errors import CorpusInvalid
from magpie.model import Version, VersionId, Viewer, Visibility
from magpie.ports import SourceRow

KEPT = 4  # lists: guests and insiders, of the active version and of the one before

Listed = tuple[Hashable, tuple[SourceRow, ...]]


class PostgresCatalogue:
    """
    `Catalogue` on Postgres. Lists of published versions are kept in memory: what a version holds
    changes by a purge alone, which leaves a mark that is looked at each time.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lists: OrderedDict[tuple[VersionId, frozenset[Visibility]], Listed] = OrderedDict()

    async def sources(self, *, version: VersionId, viewer: Viewer) -> tuple[SourceRow, ...]:
        """Sources that the viewer may know of, by type and key."""
        marks = await self._database.read("catalogue_mark", {"version": version}, visibilities=())
        mark = marks[0]["mark"] if marks else None  # none while it is a draft, which may still grow
        key = (version, viewer.visibilities)
        known, rows = self._lists.get(key, (None, ()))
        if mark is None or known != mark:
            rows = await self._read(version, viewer)
            self._lists[key] = (mark, rows)
        self._lists.move_to_end(key)
        while len(self._lists) > KEPT:
            self._lists.popitem(last=False)
        return rows

    async def _read(self, version: VersionId, viewer: Viewer) -> tuple[SourceRow, ...]:
        arguments = {"version": version, "visibilities": sorted(viewer.visibilities)}
        rows = await self._database.read("sources", arguments, visibilities=viewer.visibilities)
        return tuple(source_row_from_row(row) for row in rows if row["visibility"] in viewer.visibilities)

    async def active_version(self) -> Version:
        """The version to pin a question to. Raises: CorpusInvalid when nothing was ever published."""
        rows = await self._database.read("active_version", {}, visibilities=())
        if not rows:
            raise CorpusInvalid("nothing is published yet; run `magpie ingest --all`")
        return version_from_row(rows[0])

    async def site_text(self, version: VersionId) -> str:
        """The site file that the version was made with. Raises: CorpusInvalid for an unknown version."""
        rows = await self._database.read("site_text", {"version": version}, visibilities=())
        if not rows:
            raise CorpusInvalid(f"there is no version {version}; `magpie versions` lists those that are kept")
        return str(rows[0]["site_text"])
