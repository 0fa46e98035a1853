"""Questions for `ask` and `search`: one from the command line, or many from a JSONL file."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.problems import LocalProblem


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
    if question is not None:
        if not question.strip():
            raise LocalProblem("the question is empty")
        return iter((Row(None, question),))
    assert file is not None
    return iter(_read(file))


def _read(file: Path) -> tuple[Row, ...]:
    try:
        text = (
            Path("/dev/stdin").read_text("utf-8")
            if str(file) == "-"
            else file.read_text(encoding="utf-8-sig")
        )
    except (OSError, UnicodeDecodeError) as exc:
        raise LocalProblem(f"{file} can't be read: {exc}") from exc
    lines = ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())
    return tuple(_row(file, number, line) for number, line in lines)


def _row(file: Path, number: int, line: str) -> Row:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as exc:
        raise LocalProblem(
            f"{file}, line {number}: is not JSON ({exc.msg}); each line is an object of its own"
        ) from exc
    if not isinstance(value, dict) or "id" not in value or not isinstance(value.get("question"), str):
        raise LocalProblem(f"{file}, line {number}: must be an object with `id` and `question`")
    return Row(value["id"], value["question"])
