"""Processor time of a server on this machine: what work costs, however busy the machine is otherwise."""

import contextlib

import psutil
import psycopg


class ServerClock:
    """Seconds that all processes of one Postgres have used, those that ended among them."""

    def __init__(self, url: str) -> None:
        with psycopg.connect(url) as conn:
            self._postmaster = psutil.Process(conn.info.backend_pid).parent()

    def seconds(self) -> float:
        """In steps of a hundredth. Raises: RuntimeError when the server is not on this machine."""
        if self._postmaster is None:
            raise RuntimeError("the server's processes are not to be seen from here")
        own = self._postmaster.cpu_times()
        total = own.user + own.system + own.children_user + own.children_system
        for child in self._postmaster.children():
            with contextlib.suppress(psutil.NoSuchProcess):
                times = child.cpu_times()
                total += times.user + times.system
        return float(total)
