"""Scheduled: looks at the site's pages again, for as long as a call may take; its rows are for the next run."""

from typing import Any

from aws_lambda_powertools import Logger

from functions.ingesting import RESERVE_MS, Context, process

logger = Logger(service="refresh")


def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """`{"accept": true}` takes over what waits for the owner; anything else looks again."""
    here = process()
    time_s = max(0, context.get_remaining_time_in_millis() - RESERVE_MS) / 1000
    done = here.run(here.pages.accept() if event.get("accept") is True else here.pages.refresh(time_s))
    told = {"visited": done.visited, "changed": done.changed, "left": done.left, "waits": done.waits}
    logger.info("refreshed", extra=told)
    return told
