"""
Ports for servers that must be told theirs before they start.

A port that the system gives away on asking (`bind` to 0) is free again a moment later, and another test process,
or any connection on its way out, may take it before our server does. So ours lie below those that systems give
away (from 32768 on), and each process begins at a place of its own.
"""

import os
import socket
from itertools import count

FIRST, MANY = 12_000, 20_000
A_PROCESS = 25  # processes that start one after the other have numbers in a row

_turns = count()


def free_port() -> int:
    """One that nothing listens on, and that this process was not given before."""
    for _ in range(MANY):
        port = FIRST + (os.getpid() * A_PROCESS + next(_turns)) % MANY
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise RuntimeError(f"no port from {FIRST} to {FIRST + MANY - 1} is free on the loopback address")
