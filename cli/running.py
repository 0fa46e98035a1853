"""A site opened for a command: settings, database, pipelines, in one context."""

import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping

from cli.opening import Chosen, settings_for
from cli.showing import say
from magpie.model import AnswerId, Question, VersionId, Viewer
from magpie.settings import Settings


@contextlib.asynccontextmanager
async def opened_site(chosen: Chosen, env: Mapping[str, str]) -> AsyncIterator["SiteRuntime"]:
    """The pipelines of the site, on the embedded database unless DATABASE_URL names another."""
    from magpie.wiring import open_site

    with settings_for(chosen, env, say) as settings:
        await ready_database(settings, env)
        async with open_site(settings, chosen.site) as runtime:
            yield runtime


def question_of(text: str, stream_s: float, clock: Callable[[], float] = time.monotonic) -> Question:
    """A command's question: whoever can run the command on this machine asks as a guest."""
    return Question(
        id=AnswerId(secrets.token_urlsafe(12)),
        text=text,
        viewer=Viewer(),
        deadline=clock() + stream_s,
        version_id=VersionId(0),
    )
