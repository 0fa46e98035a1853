"""Questions come from the command line or from a file, and a bad line is named."""

from pathlib import Path

import pytest

from cli.rows import Row, questions
from infra.local.problems import LocalProblem


def rows_file(folder: Path, text: str) -> Path:
    file = folder / "rows.jsonl"
    file.write_text(text, encoding="utf-8")
    return file


def test_rows_keep_their_order_and_their_ids(tmp_path: Path) -> None:
    """
    A line is a question; ids come back as they were given, whatever JSON they are; other fields don't count.
    """
    text = '{"id": "b", "question": "Wo?"}\n\n{"id": 7, "question": "O quê?", "facts": ["x"]}\n'

    assert tuple(questions(None, rows_file(tmp_path, text))) == (Row("b", "Wo?"), Row(7, "O quê?"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"id": 1, "question": "a"}\n{"id": 2', "line 2: is not JSON"),
        ('["a"]', "line 1: must be an object with `id` and `question`"),
        ('{"id": 1, "question": null}', "line 1: must be an object"),
        ('{"question": "a"}', "line 1: must be an object"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    """
    A line that holds no question stops the run before anything is asked, with its number.
    """
    with pytest.raises(LocalProblem, match=complaint):
        questions(None, rows_file(tmp_path, text))


def test_a_line_separator_inside_a_question_ends_no_line(tmp_path: Path) -> None:
    """
    Only a line feed ends a row: a U+2028 in a question is part of it.
    """
    text = '{"id": 1, "question": "one\u2028two"}\n'

    assert tuple(questions(None, rows_file(tmp_path, text))) == (Row(1, "one\u2028two"),)


@pytest.mark.parametrize(("question", "file"), [(None, None), ("Why?", Path("rows.jsonl"))])
def test_one_way_of_asking_at_a_time(question: str | None, file: Path | None) -> None:
    """
    A question or a file, not both and not neither.
    """
    with pytest.raises(LocalProblem, match="one question in quotes, or many with --file"):
        questions(question, file)


def test_an_empty_question_is_refused() -> None:
    """
    White space is no question.
    """
    with pytest.raises(LocalProblem, match="empty"):
        questions("  \n", None)
