"""A site's pipelines on this machine: settings, database, schema, wiring, as one context."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

from infra.local.postgres import Say
from infra.local.problems import LocalProblem
from infra.local.settings import site_settings
from magpie.errors import SettingsInvalid
from magpie.settings import Settings
from magpie.site import Site
from magpie.wiring import SiteRuntime, open_site, prepare_database


@contextlib.asynccontextmanager
async def opened(
    site: Site, env: Mapping[str, str], say: Say, *, migrate: bool = False, is_moving: bool = False
) -> AsyncIterator[SiteRuntime]:
    """
    The site's pipelines. The embedded database is ours and brought to this code's schema; one
    that DATABASE_URL names is left as it is unless `migrate` is wished. `is_moving`: to other models.
    """
    with site_settings(site.site.key, env, say) as settings:
        if not settings.aws_endpoint_url:
            # No tables here: what the owner asks by hand is his own money, and nobody else hears it.
            settings = replace(settings, usd_a_day=None, usd_a_month=None, asks_table="")
        if migrate or not env.get("DATABASE_URL"):
            await _prepared(settings, site, env, is_moving)
        async with open_site(settings, site) as runtime:
            yield runtime


async def _prepared(settings: Settings, site: Site, env: Mapping[str, str], is_moving: bool) -> None:
    try:
        await prepare_database(settings, site, is_moving=is_moving)
    except SettingsInvalid as exc:
        if env.get("DATABASE_URL"):
            raise
        raise LocalProblem(f"{exc}; or begin anew: `make clean` removes the embedded database") from exc
