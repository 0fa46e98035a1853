"""
JSON of unknown origin: whatever is wrong with it is a `ValueError` that says so in words, not one of five kinds
of error that a parser may end with.
"""

import json
from typing import Any


def json_value(text: str) -> Any:
    """Raises: ValueError with a sentence's end: `is not JSON (...)`, `is nested too deeply`."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except json.JSONDecodeError as exc:
        raise ValueError(f"is not JSON ({exc.msg}, character {exc.pos + 1})") from exc
    except _NoNumberError:
        raise
    except ValueError as exc:  # Python reads no number of thousands of digits
        raise ValueError("holds a number that is too long") from exc
    if is_broken(text) or ("\\u" in text and is_broken(json.dumps(value, ensure_ascii=False))):
        raise ValueError("holds half a character (a lone surrogate); write it as UTF-8")
    return value


class _NoNumberError(ValueError):
    """NaN and its like, which Python takes for JSON."""


def _no_constant(name: str) -> Any:
    raise _NoNumberError(f"holds {name}, which is no JSON number")


def is_broken(text: str) -> bool:
    """Whether it holds halves of characters, which are no text: bytes of another encoding become such."""
    return any("\ud800" <= char <= "\udfff" for char in text)
