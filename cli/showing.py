"""How commands talk: results to standard output, all else to standard error."""

import json
import sys
from typing import Any

from rich.console import Console

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False)


def say(sentence: str) -> None:
    """A sentence about what is going on, apart from the results."""
    err.print(sentence, style="dim", markup=False)


def emit(value: Any) -> None:
    """One JSON value on one line, at once."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()
