"""Settings of a process on this machine: the environment's where it says so, else the embedded stack's."""

import contextlib
from collections.abc import Iterator, Mapping

from infra.local.postgres import Say
from infra.local.stack import database_name, embedded_database, ensure_database
from infra.local.state import open_state, signing_key
from magpie.settings import Settings


@contextlib.contextmanager
def site_settings(site_key: str, env: Mapping[str, str], say: Say) -> Iterator[Settings]:
    """
    Settings for one site. Without DATABASE_URL the embedded database runs for as long as the
    context lasts, with a database for the site in it. Raises: LocalProblem, SettingsInvalid.
    """
    state = open_state(env)
    key = env.get("MAGPIE_SIGNING_KEY") or signing_key(state)
    if env.get("DATABASE_URL"):
        yield Settings.from_env({**env, "MAGPIE_SIGNING_KEY": key})
        return
    with embedded_database(state, say) as server:
        url = ensure_database(server, database_name(site_key))
        yield Settings.from_env({**env, "DATABASE_URL": url, "MAGPIE_SIGNING_KEY": key})
