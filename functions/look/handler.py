"""The first step of a run: what there is to do, in batches of files."""

from typing import Any

from aws_lambda_powertools import Logger

from functions.ingesting import Context, RunEvent, process
from magpie.ingesting.names import RunNames
from magpie.ingesting.work import RunPlan
from magpie.model import RunId

logger = Logger(service="look")


def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """`size` tells the state machine which way the batches go; only few travel in the answer itself."""
    asked = RunEvent.model_validate(event)
    here = process()
    plan = here.run(here.runtime.stages.look(asked.id))
    logger.info("looked", run=asked.run, round=plan.round, files=sum(plan.sizes), refused=len(plan.refused))
    return {"run": asked.run, "round": plan.round, **ways(asked.id, plan, here.runtime.places.inline_batches)}


def ways(run: RunId, plan: RunPlan, inline: int) -> dict[str, Any]:
    """Which way the batches go, and where they are found there."""
    count = len(plan.sizes)
    size = "none" if count == 0 else "few" if count <= inline else "many"
    few = [{"run": run, "round": plan.round, "batch": number} for number in range(count)]
    return {
        "size": size,
        "batches": few if size == "few" else [],
        "items": f"runs/{RunNames(run).round(plan.round).items}",
    }
