"""A site opened for a command: settings, database, pipelines, in one context."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

from cli.opening import Chosen, choose, environment
from cli.showing import say
from infra.local.opening import opened
from infra.local.problems import LocalProblem
from magpie.model import AnswerId, Question, SourceKey, VersionId, Viewer
from magpie.wiring import SiteRuntime

T = TypeVar("T")


@contextlib.asynccontextmanager
async def opened_site(
    chosen: Chosen, env: Mapping[str, str], *, is_moving: bool = False
) -> AsyncIterator[SiteRuntime]:
    """The pipelines of the site, on the embedded database unless DATABASE_URL names another."""
    async with opened(chosen.site, env, say, is_moving=is_moving) as runtime:
        yield runtime


def on_site(site: Path | None, corpus: Path | None, work: Callable[[SiteRuntime], Awaitable[T]]) -> T:
    """One piece of work on the site that the command line chooses."""

    async def inside() -> T:
        env = environment()
        async with opened_site(choose(site, corpus, env), env) as runtime:
            return await work(runtime)

    return asyncio.run(inside())


def key_of(text: str, where: str = "the source") -> SourceKey:
    """`TYPE:KEY` as a key. Raises: LocalProblem, which says `where` it was wanted."""
    kind, colon, key = text.partition(":")
    if not (kind and colon and key):
        raise LocalProblem(f"{where} wants TYPE:KEY, for instance article:berths-online, not {text!r}")
    return SourceKey(source_type=kind, source_key=key)


def question_of(
    text: str,
    stream_s: float,
    version: VersionId = VersionId(0),
    clock: Callable[[], float] = time.monotonic,
) -> Question:
    """A command's question: whoever runs it on this machine asks as a guest, as a visitor would."""
    return Question(
        id=AnswerId(secrets.token_urlsafe(12)),
        text=text,
        viewer=Viewer(),
        deadline=clock() + stream_s,
        version_id=version,
    )
