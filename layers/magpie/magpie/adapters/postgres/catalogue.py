"""Which sources a version has, and which version answers."""

from magpie.adapters.postgres.pool import Database
from magpie.adapters.postgres.rows import source_row_from_row, version_from_row
from magpie.errors import CorpusInvalid
from magpie.model import Version, VersionId, Viewer
from magpie.ports import SourceRow


class PostgresCatalogue:
    """`Catalogue` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def sources(self, *, version: VersionId, viewer: Viewer) -> tuple[SourceRow, ...]:
        """Sources that the viewer may know of, by type and key."""
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
