"""A batch's new sources to chunks."""

from typing import Any

from aws_lambda_powertools import Logger

from functions.ingesting import BatchEvent, Context, process

logger = Logger(service="chunk")


def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """The batch again, for the next step."""
    batch = BatchEvent.model_validate(event)
    here = process()
    chunks = here.run(here.runtime.stages.chunk(batch.to_item()))
    logger.info("chunked", **batch.model_dump(), chunks=chunks)
    return batch.model_dump()
