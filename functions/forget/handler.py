"""
Once a day: conversations and ratings that are older than the site file keeps them go.

Reading hides them in any case, so a day late does no harm; an error is raised, for the schedule to try again.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.typing import LambdaContext

from magpie.active import ActiveSite
from magpie.adapters.secrets import with_secrets
from magpie.errors import CorpusInvalid
from magpie.model import Forgotten
from magpie.settings import Settings
from magpie.wiring import SiteRuntime

logger = Logger(service="forget")

PATIENCE_S = 60.0  # nobody waits for us: a database that sleeps may take its time


def handler(_: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Counts of what went."""
    settings = Settings.from_env(with_secrets(os.environ))
    gone = asdict(asyncio.run(expired(settings)))
    logger.info("expired", extra=gone)
    return gone


async def expired(settings: Settings, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Forgotten:
    """Remove what is too old by the active version's site file; before anything is published nothing is."""
    active: ActiveSite[SiteRuntime] = ActiveSite(settings, lambda runtime: runtime, patience_s=PATIENCE_S)
    try:
        async with active.entered() as runtime:
            return await runtime.conversations.expire(since=runtime.site.privacy.kept_since(now()))
    except CorpusInvalid:
        return Forgotten()
    finally:
        await active.close()
