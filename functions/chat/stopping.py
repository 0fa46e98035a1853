"""
Answers that are being written here, so that one can be told to stop; and the look at what visitors
told other processes.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from magpie.errors import DatabaseUnavailable
from magpie.model import AnswerId
from magpie.ports import Stops

LOOK_S = 0.5


class Running:
    """Knows the answers of this process by their id."""

    def __init__(self) -> None:
        self._stopped: dict[str, asyncio.Event] = {}

    @contextmanager
    def entered(self, answer_id: str) -> Iterator[asyncio.Event]:
        """While the answer runs; what is given is set when it is to stop."""
        self._stopped[answer_id] = asyncio.Event()
        try:
            yield self._stopped[answer_id]
        finally:
            del self._stopped[answer_id]

    def stop(self, answer_id: str) -> bool:
        """Whether it runs here."""
        if answer_id not in self._stopped:
            return False
        self._stopped[answer_id].set()
        return True


@asynccontextmanager
async def watching(
    stops: Stops, answer_id: AnswerId, stopped: asyncio.Event, look_s: float = LOOK_S
) -> AsyncIterator[None]:
    """Inside, `stopped` is set too when the visitor told another process to stop."""
    looking = asyncio.create_task(_look(stops, answer_id, stopped, look_s))
    try:
        yield
    finally:
        looking.cancel()
        await asyncio.wait({looking})


async def _look(stops: Stops, answer_id: AnswerId, stopped: asyncio.Event, look_s: float) -> None:
    while not stopped.is_set():
        await asyncio.sleep(look_s)
        with suppress(DatabaseUnavailable):  # whoever can't be told to stop ends at the deadline
            if await stops.is_stopped(answer_id):
                stopped.set()
