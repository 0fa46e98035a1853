"""Runs an ASGI app on a free loopback port, in a thread, for as long as a `with` block."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

START_TIMEOUT_S = 60.0  # for machines that do much else


@contextmanager
def served(app: Any, **options: Any) -> Iterator[str]:
    """Yields the base address, `http://127.0.0.1:PORT`. `options` go to uvicorn."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on", **options))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        _wait_until_started(server)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(START_TIMEOUT_S)


def _wait_until_started(server: uvicorn.Server) -> None:
    limit = time.monotonic() + START_TIMEOUT_S
    while not server.started:
        if time.monotonic() > limit:
            raise RuntimeError("the loopback server did not start")
        time.sleep(0.01)
