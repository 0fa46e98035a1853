"""How measurements are started: arguments checked before anything is measured, errors as sentences."""

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, NoReturn

from magpie.errors import MagpieError


def run(main: Callable[[], "int | Coroutine[Any, Any, None] | None"]) -> NoReturn:
    """The measurement, whose errors of ours, missing files and Ctrl-C end in a sentence and not in a trace."""
    try:
        done = main()
        code = asyncio.run(done) if isinstance(done, Coroutine) else done
    except MagpieError as exc:
        sys.exit(f"bench: {exc}")
    except FileNotFoundError as exc:
        sys.exit(f"bench: {exc.filename} is not there")
    except BrokenPipeError:  # whoever read our table has seen enough
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)
    sys.exit(code)


def whole_number(text: str) -> int:
    """A whole number of at least 1."""
    return _at_least(1, text)


def number_or_none(text: str) -> int:
    """A whole number of at least 0."""
    return _at_least(0, text)


def _at_least(least: int, text: str) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least {least}")
    return int(text)


def seconds(text: str) -> float:
    """Of at least 0."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to 3600")
    return found


def some_of(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Names with commas between them, each of them known."""

    def names(text: str) -> tuple[str, ...]:
        asked = tuple(filter(None, (name.strip() for name in text.split(","))))
        strange = [name for name in asked if name not in known]
        if strange or not asked:
            told = f"{', '.join(strange)} is not known" if strange else "names nothing"
            raise argparse.ArgumentTypeError(f"{told}; there are {', '.join(known)}")
        return asked

    return names


def folder(text: str) -> Path:
    """One that is there."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text} is no folder")
    return Path(text)
