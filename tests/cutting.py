"""
A line to Postgres that breaks at a chosen moment: a proxy between a client and the server's socket.

It reads the client's messages and counts the steps: each round trip of the protocol (a simple
query, a sync, which also ends a copy), each new connection, each first row of a copy. Nothing is patched
on either side.
"""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

SOCKET = ".s.PGSQL.5432"
QUERY, SYNC, COPY_ROW = b"Q", b"S", b"d"
DONE = {b"Z", b"G"}  # ready for a query, ready for the rows of a copy


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """
    Where the line breaks: at the `step`th step (from 0), `after` the server has done it but before
    the client hears so, or before it reaches the server. `whole`: every connection breaks and none
    can be made any more, as when the client's machine dies.
    """

    step: int
    after: bool = False
    whole: bool = False


class Broken(Exception):
    """The line is cut."""


@dataclass(slots=True)
class Line:
    """What the proxy does now. `steps` counts since `begin`; `happened` tells whether the cut was reached, `dead` that it was a whole one."""

    server: str
    cut: Cut | None = None
    steps: int = 0
    happened: bool = False
    dead: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    def begin(self, cut: Cut | None) -> None:
        """Count anew, and break there."""
        self.cut, self.steps, self.happened = cut, 0, False
        self.dead.clear()

    def end(self) -> None:
        """Whole again, for whoever comes next."""
        self.cut = None
        self.dead.clear()

    def is_here(self) -> bool:
        """Whether this step is the one; counts it."""
        step, self.steps = self.steps, self.steps + 1
        return self.cut is not None and not self.happened and step == self.cut.step

    def break_off(self) -> None:
        """Raises: Broken, always."""
        assert self.cut is not None
        self.happened = True
        if self.cut.whole:
            self.dead.set()
            for task in self.tasks - {asyncio.current_task()}:  # type: ignore[arg-type]
                task.cancel()
        raise Broken


@contextlib.asynccontextmanager
async def cuttable(url: str, folder: Path) -> AsyncIterator[tuple[str, Line]]:
    """The URL of the same database through the proxy, and the line to break."""
    parts = urlsplit(url)
    line = Line(server=f"{parse_qs(parts.query)['host'][0]}/{SOCKET}")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        line.tasks.add(task)
        try:
            await _connection(line, reader, writer)
        finally:
            line.tasks.discard(task)

    server = await asyncio.start_unix_server(serve, folder / SOCKET)
    try:
        yield parts._replace(query=f"host={quote(str(folder), safe='')}").geturl(), line
    finally:
        server.close()
        for task in tuple(line.tasks):
            task.cancel()
        await asyncio.gather(*line.tasks, return_exceptions=True)


async def _connection(line: Line, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One client, until either side or the cut ends it."""
    if line.dead.is_set():
        writer.close()
        return
    upstream, to_server = await asyncio.open_unix_connection(line.server)
    answers = Answers(upstream, writer)
    back = asyncio.ensure_future(answers.pass_on())
    try:
        await _forward(line, reader, to_server, answers)
    except (Broken, asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        pass  # one side has gone
    finally:
        back.cancel()
        to_server.transport.abort()
        writer.transport.abort()


async def _forward(
    line: Line, reader: asyncio.StreamReader, to_server: asyncio.StreamWriter, answers: "Answers"
) -> None:
    (length,) = struct.unpack("!I", head := await reader.readexactly(4))
    to_server.write(head + await reader.readexactly(length - 4))
    if line.is_here():
        await _at_cut(line, answers, waits=True)
    is_copying = False
    while True:
        kind = await reader.readexactly(1)
        (length,) = struct.unpack("!I", head := await reader.readexactly(4))
        message = kind + head + await reader.readexactly(length - 4)
        is_step = kind in (QUERY, SYNC) or (kind == COPY_ROW and not is_copying)
        is_copying = kind == COPY_ROW
        if not is_step or not line.is_here():
            to_server.write(message)
            continue
        assert line.cut is not None
        if not line.cut.after:
            line.break_off()
        answers.hold()
        to_server.write(message)
        await _at_cut(line, answers, waits=kind != COPY_ROW)


async def _at_cut(line: Line, answers: "Answers", *, waits: bool) -> None:
    if waits:
        await answers.ready()
    line.break_off()


class Answers:
    """What the server says, passed on to the client or held back."""

    def __init__(self, upstream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._upstream = upstream
        self._writer = writer
        self._is_held = False
        self._ready = asyncio.Event()

    def hold(self) -> None:
        """From here on the client hears nothing."""
        self._is_held = True
        self._ready.clear()

    async def ready(self) -> None:
        """Until the server has done what it was told."""
        await self._ready.wait()

    async def pass_on(self) -> None:
        """Message by message; ends with the server's side."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                kind = await self._upstream.readexactly(1)
                (length,) = struct.unpack("!I", head := await self._upstream.readexactly(4))
                body = await self._upstream.readexactly(length - 4)
                if not self._is_held:
                    self._writer.write(kind + head + body)
                if kind in DONE:
                    self._ready.set()
        self._ready.set()
        self._writer.close()
