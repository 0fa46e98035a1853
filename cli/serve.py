"""`magpie serve`, which is `make demo`: everything started, every site ingested, one address printed."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

from cli.opening import Chosen, choose, demo_sites, environment
from cli.showing import emit, err, say
from infra.local.demo_server import Wanted, run_until_stopped
from infra.local.problems import LocalProblem
from infra.local.serving import address_of, announce, bound_socket, only_server
from infra.local.state import open_state
from magpie.errors import CorpusInvalid


def run(site: Path | None, corpus: Path | None, json: bool) -> int:
    """Serve until Ctrl-C or a termination signal; 0 when it ended that way."""
    env = environment()
    sites = offered(site, corpus, env)
    with only_server(open_state(env)) as place, contextlib.closing(bound_socket(env)) as listener:

        def is_up() -> None:
            address = address_of(listener)
            announce(place, address)
            _tell(address, json)

        wanted = tuple(Wanted(site=chosen.site, corpus=chosen.corpus) for chosen in sites)
        run_until_stopped(wanted, env, listener, is_up)
    return 0


def offered(site: Path | None, corpus: Path | None, env: Mapping[str, str]) -> tuple[Chosen, ...]:
    """
    The sites to serve: the one of --site, SITE or DATABASE_URL, else every demo site that can be used.

    Raises: LocalProblem when none can.
    """
    if site is not None or env.get("SITE") or env.get("DATABASE_URL"):
        return (choose(site, corpus, env),)
    found = tuple(chosen for file in demo_sites() if (chosen := _usable(file, env)))
    if not found:
        raise LocalProblem(
            "no demo site can be served; `magpie doctor --site FILE` says what is wrong with one"
        )
    return found


def _usable(file: Path, env: Mapping[str, str]) -> Chosen | None:
    try:
        return choose(file, None, env)
    except CorpusInvalid as exc:
        say(f"Left out, since its site file can't be used:\n{exc}")
        return None


def _tell(address: str, json: bool) -> None:
    if json:
        emit({"address": address})
        return
    err.print(
        f"\n  [bold]{address}[/bold]\n  [dim]Open it in a browser; Ctrl-C here stops everything.[/dim]\n"
    )
