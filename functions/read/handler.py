"""A batch of files to sources."""

from typing import Any

from aws_lambda_powertools import Logger

from functions.ingesting import BatchEvent, Context, process

logger = Logger(service="read")


def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """The batch again, for the next step."""
    batch = BatchEvent.model_validate(event)
    here = process()
    counts = here.run(here.runtime.stages.read(batch.to_item()))
    logger.info("read", **batch.model_dump(), sources=counts.sources, refused=counts.refused)
    return batch.model_dump()
