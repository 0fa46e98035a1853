"""`magpie rebuild`: fallback vectors that an ingest could not make, made now."""

import asyncio
from pathlib import Path

from cli.opening import choose, environment
from cli.running import opened_site
from cli.showing import emit, out
from infra.local.problems import LocalProblem
from infra.local.progress import shown
from magpie.ingesting.rebuild import Rebuilt, rebuild
from magpie.ingesting.run import silent


def run_rebuild(site: Path | None, corpus: Path | None, json: bool) -> int:
    """0 when no vector is missing any more; 1 when the provider stopped the run."""
    done = asyncio.run(_rebuild(site, corpus, json))
    if json:
        emit({"filled": done.filled, "stopped_by": done.stopped_by})
    elif done.stopped_by:
        out.print(
            f"{done.filled} vectors filled, then stopped: {done.stopped_by}. Run it again later.",
            markup=False,
        )
    else:
        out.print(f"{done.filled} vectors filled; none is missing.")
    return 1 if done.stopped_by else 0


async def _rebuild(site: Path | None, corpus: Path | None, json: bool) -> Rebuilt:
    env = environment()
    chosen = choose(site, corpus, env)
    async with opened_site(chosen, env) as runtime:
        fallback = runtime.patient_fallback()
        if fallback is None:
            raise LocalProblem(
                "the site file names no fallback model (embeddings.fallback); nothing to rebuild"
            )
        if json:
            return await rebuild(runtime.missing, fallback, silent)
        with shown(chosen.site.site.name) as progress:
            return await rebuild(runtime.missing, fallback, progress)
