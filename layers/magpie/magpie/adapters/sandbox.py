"""
A reader of hostile files in a process of its own, with limits of processor time and memory.

The process is started anew for each file (spawn: models' threads don't survive a fork), gets the
document on its standard input and answers with JSON: nothing that it says is executed here.
"""

import asyncio
import base64
import dataclasses
import json
import os
import signal
import sys
from datetime import date
from importlib import import_module
from typing import Any

from magpie.errors import DocumentRefused
from magpie.model import Document, Heading, Language, Notice, Reading

READERS = {
    "pdf": "magpie.ingesting.readers.pdf",
    "markdown": "magpie.ingesting.readers.markdown",
    "html": "magpie.ingesting.readers.html",
}
"""By kind: only the one that is asked for is imported, since each file starts a process."""

TIME_LIMIT_S = 10
PATIENCE = 6  # a busy machine may take that many times as long; the limit is on the processor's time
MEMORY_LIMIT_MB = 512
OUT_OF_TIME = -getattr(signal, "SIGXCPU", 0) or None
ANSWER_LIMIT_MB = 64  # a text that long is a bomb


class SandboxedReader:
    """The `HostileReader` port. Needs a Unix for the memory limit; the time limit holds anywhere."""

    def __init__(self, *, time_limit_s: int = TIME_LIMIT_S, memory_limit_mb: int = MEMORY_LIMIT_MB) -> None:
        self._time_limit_s = time_limit_s
        self._memory_limit_mb = memory_limit_mb

    async def read(self, document: Document, kind: str) -> tuple[Reading, ...]:
        """Raises: DocumentRefused with the reader's reason, or `too_slow`, `too_heavy`, `broken`."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "magpie.adapters.sandbox",
            str(self._memory_limit_mb),
            str(self._time_limit_s),
            kind,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=_environment(),
        )
        patience_s = self._time_limit_s * PATIENCE
        try:
            answer, _ = await asyncio.wait_for(process.communicate(_question(document)), patience_s)
        except TimeoutError as exc:
            raise self._too_slow(document.path) from exc
        finally:
            await _ended(process)
        if process.returncode == OUT_OF_TIME:
            raise self._too_slow(document.path)
        return self._readings(document.path, answer, process.returncode)

    def _too_slow(self, path: str) -> DocumentRefused:
        reason = f"takes more than {self._time_limit_s} s to read; split it or save it anew"
        return DocumentRefused(path, "too_slow", reason)

    def _readings(self, path: str, answer: bytes, exit_code: int | None) -> tuple[Reading, ...]:
        if not answer:
            reason = (
                f"needs more than {self._memory_limit_mb} MB to be read, or crashes its reader; save it anew"
            )
            raise DocumentRefused(path, "too_heavy", f"{reason} (exit {exit_code})")
        told = json.loads(answer)
        if "error" in told:
            raise DocumentRefused(path, told["error"]["code"], told["error"]["reason"])
        return tuple(_reading(one) for one in told["readings"])


def _environment() -> dict[str, str]:
    """Only where Python finds us: no key of this process reaches a reader of hostile files."""
    # Lambda's Python finds its own library by LD_LIBRARY_PATH alone.
    libraries = {name: value for name, value in os.environ.items() if name == "LD_LIBRARY_PATH"}
    python_path = ":".join(path for path in sys.path if path)
    return {**libraries, "PYTHONPATH": python_path, "PYTHONDONTWRITEBYTECODE": "1"}


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Killed if it still runs, and its exit collected."""
    if process.returncode is None:
        process.kill()
    await process.wait()


def _question(document: Document) -> bytes:
    raw = base64.b64encode(document.raw).decode()
    asked = {"path": document.path, "raw": raw, "raw_hash": document.raw_hash}
    return json.dumps(asked).encode()


def _reading(told: dict[str, Any]) -> Reading:
    return Reading(
        text=told["text"],
        title=told["title"],
        published=date.fromisoformat(told["published"]) if told["published"] else None,
        language=Language(told["language"]) if told["language"] else None,
        url=told["url"],
        headings=tuple(Heading(**heading) for heading in told["headings"]),
        record_key=told["record_key"],
        fields=told["fields"],
        notices=tuple(Notice(**notice) for notice in told["notices"]),
    )


# --- Inside the process -------------------------------------------------------------------------


def main() -> None:
    """Read what stands on standard input under the limits; answer with one JSON object."""
    _limit(int(sys.argv[1]), int(sys.argv[2]))
    asked = json.loads(sys.stdin.buffer.read())
    document = Document(path=asked["path"], raw=base64.b64decode(asked["raw"]), raw_hash=asked["raw_hash"])
    answer = json.dumps(_answer(document, READERS[sys.argv[3]]))
    sys.stdout.write(answer)


def _limit(memory_mb: int, time_s: int) -> None:
    """Where there is no `resource` (Windows), only the patience of who started us limits us."""
    try:
        import resource
    except ImportError:
        return
    size = memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CPU, (time_s, time_s + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(document: Document, reader: str) -> dict[str, Any]:
    try:
        readings = import_module(reader).read(document)
    except DocumentRefused as exc:
        return {"error": {"code": exc.code, "reason": exc.reason}}
    except (MemoryError, RecursionError) as exc:
        return {
            "error": {
                "code": "too_heavy",
                "reason": f"can't be read within the limits ({type(exc).__name__})",
            }
        }
    if sum(len(reading.text) for reading in readings) > ANSWER_LIMIT_MB * 1024 * 1024:
        return {"error": {"code": "too_heavy", "reason": f"holds more than {ANSWER_LIMIT_MB} MB of text"}}
    return {"readings": [_told(reading) for reading in readings]}


def _told(reading: Reading) -> dict[str, Any]:
    told = dataclasses.asdict(reading)
    told["published"] = reading.published.isoformat() if reading.published else None
    return told


if __name__ == "__main__":
    main()
