"""The last step of a run: one switch to the new version."""

from typing import Any

from aws_lambda_powertools import Logger

from functions.ingesting import Context, RunEvent, process

logger = Logger(service="publish")


def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """How the run ended; `Overtaken` makes the state machine look again."""
    asked = RunEvent.model_validate(event)
    here = process()
    end = here.run(here.runtime.stages.publish(asked.id, asked.round))
    version = end.summary.version_id if end.summary else None
    logger.info("published", run=asked.run, state=end.state, version=version)
    return {"run": asked.run, "state": end.state, "version": version}
