"""Dirty files to runs: notes what happened in the corpus, begins runs and ends them."""

import asyncio
from typing import Any

from aws_lambda_powertools import Logger

from functions.collect.events import Record, Told
from functions.ingesting import Context, process
from magpie.model import RunId
from magpie.wiring_runs import CollectorRuntime

logger = Logger(service="collect")


def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """Messages that could not be taken in go back to the queue; all else is told to the log."""
    told = Told.model_validate(event)
    here = process()
    if told.records:
        return here.run(note(here.collector, told.records))
    if told.finished:
        here.run(end(here.collector, told))
    begun = here.run(here.collector.collector.begin_next())
    if told.finished or begun:  # most minutes have nothing to tell
        logger.info("took turns", finished=told.finished, error=told.error, begun=begun)
    return {"begun": begun}


async def note(runtime: CollectorRuntime, records: tuple[Record, ...]) -> dict[str, Any]:
    """Each file that the messages tell of is dirty."""
    events = {record.message_id: record.event() for record in records}
    found = {
        event and runtime.path_of(event.detail.bucket.name, event.detail.object.key)
        for event in events.values()
    }
    paths = sorted(path for path in found if path)
    await asyncio.gather(*map(runtime.collector.note, paths))
    broken = [message for message, event in events.items() if event is None]
    logger.info("noted", messages=len(records), files=len(paths), broken=len(broken))
    return {"batchItemFailures": [{"itemIdentifier": message} for message in broken]}


async def end(runtime: CollectorRuntime, told: Told) -> None:
    """The run is over, and its files are clean if it ended well."""
    await runtime.collector.end(RunId(told.finished), code=told.error, error=told.sentence())
