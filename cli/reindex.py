"""`magpie reindex`: to the embedding models that the site file names, beside the live ones."""

import asyncio
import contextlib
from pathlib import Path

from cli.opening import choose, environment
from cli.running import opened_site
from cli.showing import emit, out
from infra.local.progress import shown
from magpie.ingesting.reindex import Moved
from magpie.ingesting.run import silent


def run_reindex(site: Path | None, corpus: Path | None, json: bool) -> int:
    """0 when the indexes hold the site file's models; 1 when the provider stopped the run."""
    moved = asyncio.run(_reindex(site, corpus, json))
    if json:
        version = moved.version.id if moved.version else None
        emit({"version": version, "filled": moved.filled, "stopped_by": moved.stopped_by})
    else:
        out.print(_told(moved), markup=False)
    return 1 if moved.stopped_by else 0


async def _reindex(site: Path | None, corpus: Path | None, json: bool) -> Moved:
    env = environment()
    chosen = choose(site, corpus, env)
    async with opened_site(chosen, env, is_moving=True) as runtime:
        with contextlib.nullcontext(silent) if json else shown(chosen.site.site.name) as progress:
            return await runtime.reindex(progress).run(await runtime.versions.active())


def _told(moved: Moved) -> str:
    if moved.stopped_by:
        return (
            f"{moved.filled} vectors made, then stopped: {moved.stopped_by}. "
            "Visitors notice nothing; run it again later, it goes on there."
        )
    if moved.version is None:
        return "The indexes hold the site file's models already; nothing to do."
    models = [model.name for model in (moved.version.primary, moved.version.fallback) if model]
    return (
        f"Version {moved.version.id} is active, on {' and '.join(models)}; {moved.filled} vectors were made."
    )
