"""A batch's chunks to vectors, for as long as a call may take."""

from typing import Any

from aws_lambda_powertools import Logger

from functions.ingesting import BatchEvent, Context, process, time_left

logger = Logger(service="embed")


def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """The batch again; while `more` is true the state machine calls once more."""
    batch = BatchEvent.model_validate(event)
    here = process()
    is_done = here.run(here.runtime.stages.embed(batch.to_item(), time_left(context)))
    logger.info("embedded", **batch.model_dump(), done=is_done)
    return {**batch.model_dump(), "more": not is_done}
