"""A site opened for a command: settings, database, pipelines, in one context."""

import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping

from cli.opening import Chosen
from cli.showing import say
from infra.local.opening import opened
from magpie.model import AnswerId, Question, VersionId, Viewer
from magpie.wiring import SiteRuntime


@contextlib.asynccontextmanager
async def opened_site(
    chosen: Chosen, env: Mapping[str, str], *, is_moving: bool = False
) -> AsyncIterator[SiteRuntime]:
    """The pipelines of the site, on the embedded database unless DATABASE_URL names another."""
    async with opened(chosen.site, env, say, is_moving=is_moving) as runtime:
        yield runtime


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
