"""
The demo's process: stand-ins, databases, sites, web server; started in order, left in reverse.

Everything is entered as a context, so that whatever ends it (Ctrl-C, a signal, an error half
way) undoes exactly what was done.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from infra.local.pages import Shown, demo_app
from infra.local.progress import ingest_shown, say
from infra.local.settings import site_settings
from infra.local.stack import Aws, local_aws
from infra.local.tables import REGION
from magpie.site import Site

LAST_WORDS_S = 2  # for streams that are still being written when we are stopped


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A site to serve and the folder of its documents."""

    site: Site
    corpus: Path


def run_until_stopped(
    wanted: Sequence[Wanted], env: Mapping[str, str], listener: socket.socket, is_up: Callable[[], None]
) -> None:
    """Serve the sites on the listener; returns after Ctrl-C or a termination signal. Raises: MagpieError."""
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_whole(wanted, env, listener, is_up))
    say("Stopped.")


async def _whole(
    wanted: Sequence[Wanted], env: Mapping[str, str], listener: socket.socket, is_up: Callable[[], None]
) -> None:
    _stop_on_signals()
    try:
        async with contextlib.AsyncExitStack() as stack:
            aws = None if env.get("AWS_ENDPOINT_URL") else stack.enter_context(local_aws())
            app = demo_app([await _opened(stack, one, env, aws) for one in wanted])
            await _web(app, listener, is_up)
    except asyncio.CancelledError:
        _leave_now()


def _stop_on_signals() -> None:
    """A closed terminal or `kill` ends us as Ctrl-C does."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)


def _leave_now() -> None:
    """
    Everything is closed by now. A model that still computes in a thread would hold the process
    for seconds, since a thread can't be interrupted; nothing of it is wanted any more.
    """
    say("Stopped.")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


# --- One site ---------------------------------------------------------------------------------


async def _opened(
    stack: contextlib.AsyncExitStack, wanted: Wanted, env: Mapping[str, str], aws: Aws | None
) -> Shown:
    from functions.chat.app import create_app
    from magpie.wiring import open_site

    site = wanted.site
    settings = stack.enter_context(site_settings(site.site.key, await _with_aws(env, aws), say))
    runtime = await stack.enter_async_context(open_site(settings, site))
    await ingest_shown(runtime, wanted)
    return Shown(
        site=runtime.site,
        catalogue=runtime.catalogue,
        passages=runtime.passages,
        application=create_app(runtime, settings),
        answerer=_answerer(runtime),
    )


async def _with_aws(env: Mapping[str, str], aws: Aws | None) -> dict[str, str]:
    """The environment with the stand-in's address, and keys that no one could misuse."""
    if aws is None:
        return dict(env)
    stand_in = {
        "AWS_ENDPOINT_URL": await asyncio.to_thread(aws.address),
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
    }
    os.environ.update(stand_in)  # boto3 looks for its keys there
    os.environ.pop("AWS_PROFILE", None)
    return {**env, **stand_in}


# --- The web server ---------------------------------------------------------------------------


async def _web(app: object, listener: socket.socket, is_up: Callable[[], None]) -> None:
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=LAST_WORDS_S,
        server_header=False,
    )
    server = uvicorn.Server(config)
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if server.started:
            is_up()
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        await serving
