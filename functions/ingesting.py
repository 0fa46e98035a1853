"""
What the functions of an ingest share: events, one event loop and one set of tools, kept for the
life of a process, so that connections and models survive from one call to the next.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import BaseModel, Field

from magpie.adapters.secrets import with_secrets
from magpie.ingesting.names import BatchItem
from magpie.model import RunId
from magpie.settings import FetchSettings, IngestPlaces, IngestSettings
from magpie.wiring_runs import CollectorRuntime, open_collector

if TYPE_CHECKING:  # most functions need one of these, and each takes long to import
    from magpie.wiring_ingest import IngestRuntime, PagesRuntime

T = TypeVar("T")

RESERVE_MS = 90_000  # one more piece with a provider's longest back-off, and the answer


class RunEvent(BaseModel):
    """A step that is done once a run. `round` counts the looks of a run, from 1."""

    run: str = Field(min_length=1)
    round: int = 0

    @property
    def id(self) -> RunId:
        """The run's name."""
        return RunId(self.run)


class BatchEvent(RunEvent):
    """A step that is done for each batch of files."""

    batch: int

    def to_item(self) -> BatchItem:
        """The batch as the core knows it."""
        return BatchItem(run=self.id, round=self.round, batch=self.batch)


class Context(Protocol):
    """What Lambda tells of a call."""

    def get_remaining_time_in_millis(self) -> int: ...


def time_left(context: Context) -> Callable[[], bool]:
    """Whether one more piece of work surely fits into this call."""
    return lambda: context.get_remaining_time_in_millis() > RESERVE_MS


class Loop:
    """An event loop in a thread of its own; calls may come from several threads."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True, name="ingest").start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the work; its error is raised here."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class Process:
    """The tools of this process, made when they are first needed."""

    def __init__(self) -> None:
        self._loop = Loop()
        self._lock = threading.Lock()
        self._collector: CollectorRuntime | None = None
        self._runtime: IngestRuntime | None = None
        self._pages: PagesRuntime | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the work, which uses the tools."""
        return self._loop.run(work)

    @property
    def collector(self) -> CollectorRuntime:
        """Raises: SettingsInvalid."""
        with self._lock:
            self._collector = self._collector or open_collector(IngestPlaces.from_env(os.environ))
            return self._collector

    @property
    def runtime(self) -> "IngestRuntime":
        """Raises: SettingsInvalid."""
        from magpie.wiring_ingest import IngestRuntime

        with self._lock:
            if self._runtime is None:
                self._runtime = IngestRuntime(IngestSettings.from_env(with_secrets(os.environ)))
            return self._runtime

    @property
    def pages(self) -> "PagesRuntime":
        """Raises: SettingsInvalid."""
        from magpie.wiring_ingest import PagesRuntime

        with self._lock:
            if self._pages is None:
                env = with_secrets(os.environ)
                self._pages = PagesRuntime(IngestPlaces.from_env(env), FetchSettings.from_env(env))
            return self._pages

    def close(self) -> None:
        """Give the connections back; what comes next makes its tools anew."""
        if self._runtime is not None:
            self.run(self._runtime.close())
        self._collector = self._runtime = self._pages = None


@cache
def process() -> Process:
    """This process'."""
    return Process()
