"""How commands talk: results to standard output, all else to standard error."""

import json
import sys
from typing import Any

from rich.console import Console

from infra.local.progress import console, say

out = Console(highlight=False, soft_wrap=True)
err = console

__all__ = ["emit", "err", "out", "say"]


def emit(value: Any) -> None:
    """One JSON value on one line, at once."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()
