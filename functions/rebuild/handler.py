"""Scheduled: fallback vectors that an ingest could not make, for as long as a call may take."""

from typing import Any

from aws_lambda_powertools import Logger

from functions.ingesting import Context, process, time_left

logger = Logger(service="rebuild")


def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """How many are filled, and whether more are missing still: the next call goes on."""
    here = process()
    done = here.run(here.runtime.rebuild(time_left(context)))
    logger.info("rebuilt", filled=done.filled, more=done.more, stopped_by=done.stopped_by)
    return {"filled": done.filled, "more": done.more, "stopped_by": done.stopped_by}
