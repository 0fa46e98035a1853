"""Applies sql/migrations: on deploy, and before each run for the dimensions of its site's models."""

from typing import Any

from aws_lambda_powertools import Logger

from functions.ingesting import Context, process
from magpie.model import RunId

logger = Logger(service="migrate")


def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """What was done; nothing where the database is where the code is. `run` names the run that asks."""
    run = event.get("run")
    here = process()
    done = here.run(here.runtime.migrate(RunId(str(run)) if run else None))
    logger.info("migrated", applied=list(done.applied), dimensions=dict(done.dimensions))
    return {"applied": list(done.applied), "dimensions": dict(done.dimensions)}
