"""Many at once: the rows of a JSONL file, and questions from it or from the command line."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.problems import LocalProblem
from magpie.text.json_value import is_broken, json_value


@dataclass(frozen=True, slots=True)
class Row:
    """One question. `id` is given back with its answer; None for the command line's own."""

    id: Any
    question: str


def questions(question: str | None, file: Path | None) -> Iterator[Row]:
    """
    The questions, in order. Raises: LocalProblem that names file and line.

    `-` as the file reads standard input.
    """
    if (question is None) == (file is None):
        raise LocalProblem("give one question in quotes, or many with --file ROWS.jsonl")
    if file is not None:
        return iter(
            tuple(_row(value, where) for value, where in objects(file, "an object with `id` and `question`"))
        )
    return iter((Row(None, whole(question or "", "the question")),))


def whole(text: str, what: str) -> str:
    """A text of the command line. Raises: LocalProblem for one that is empty or in another encoding."""
    if not text.strip():
        raise LocalProblem(f"{what} is empty")
    if is_broken(text):
        raise LocalProblem(f"{what} is not UTF-8 text; look at the terminal's encoding (LANG)")
    return text


def objects(file: Path, wanted: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """
    Each line's object that has an `id`, and where it stands. `wanted` says what a line should be.

    Raises: LocalProblem that names file and line; also where there is no line at all.
    """
    count = 0
    for count, (number, line) in enumerate(_lines(file), start=1):  # noqa: B007  # counted for the end
        where = f"{file}, line {number}"
        try:
            value = json_value(line)
        except ValueError as exc:
            raise LocalProblem(f"{where}: {exc}; each line is {wanted}") from exc
        if not isinstance(value, dict) or "id" not in value:
            raise LocalProblem(f"{where}: must be {wanted}")
        yield value, where
    if not count:
        raise LocalProblem(f"{file} holds no line; each line is {wanted}")


def read_text(file: Path) -> str:
    """A file, or `-` for standard input, without a byte order mark. Raises: LocalProblem."""
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as exc:
        raise LocalProblem(f"{file} can't be read ({exc.strerror}); name a file of yours") from exc
    except UnicodeDecodeError as exc:
        line = exc.object[: exc.start].count(b"\n") + 1
        raise LocalProblem(f"{file}, line {line}: is not UTF-8 text; save the file as UTF-8") from exc


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    text = read_text(file)
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _row(value: Mapping[str, Any], where: str) -> Row:
    if not isinstance(value.get("question"), str):
        raise LocalProblem(f"{where}: must be an object with `id` and `question`, a text")
    return Row(value["id"], value["question"])
