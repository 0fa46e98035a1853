"""
Answers that are being written here, so that one can be told to stop.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Running:
    """Knows the answers of this process by their id."""

    def __init__(self) -> None:
        self._stopped: dict[str, bool] = {}

    @contextmanager
    def entered(self, answer_id: str) -> Iterator[Callable[[], bool]]:
        """While the answer runs; gives what tells whether it was stopped."""
        self._stopped[answer_id] = False
        try:
            yield lambda: self._stopped[answer_id]
        finally:
            del self._stopped[answer_id]

    def stop(self, answer_id: str) -> None:
        if answer_id in self._stopped:
            self._stopped[answer_id] = True
