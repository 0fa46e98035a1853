"""
Where a bug of ours struck, for the log. Not its message, nor what it was raised from says: those may quote
a visitor.
"""

import traceback

MOST_FRAMES = 12


def where(exc: BaseException) -> dict[str, object]:
    """The kinds of the error and its causes, and the innermost frames that it came through."""
    frames = traceback.extract_tb(exc.__traceback__)[-MOST_FRAMES:]
    return {
        "kind": " < ".join(type(one).__name__ for one in _causes(exc)),
        "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _causes(exc: BaseException) -> list[BaseException]:
    found = [exc]
    while (cause := found[-1].__cause__) is not None and cause not in found:
        found.append(cause)
    return found
