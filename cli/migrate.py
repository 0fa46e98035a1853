"""`magpie migrate`: the schema of this code, each migration once, safe when two run."""

import asyncio
from pathlib import Path

from cli.opening import choose, environment
from cli.showing import emit, out, say
from infra.local.settings import site_settings
from magpie.wiring import prepare_database


def run(site: Path | None, corpus: Path | None, json: bool) -> int:
    """0 when the database has this code's schema, whether or not there was something to do."""
    env = environment()
    chosen = choose(site, corpus, env)
    with site_settings(chosen.site.site.key, env, say) as settings:
        applied = asyncio.run(prepare_database(settings, chosen.site))
    if json:
        emit({"applied": list(applied)})
    elif applied:
        out.print("Applied " + ", ".join(applied), markup=False)
    else:
        out.print("The schema is up to date.")
    return 0
