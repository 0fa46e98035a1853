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
        ('{"id": 1, "question": "a"}\n' + "[" * 100_000, "line 2: is nested too deeply"),
        ('{"id": ' + "9" * 5000 + ', "question": "a"}', "line 1: holds a number that is too long"),
        ('{"id": NaN, "question": "a"}', "line 1: holds NaN"),
        ('{"id": 1, "question": "\\ud800"}', "line 1: holds half a character"),
        ("\n \n", "holds no line"),
    ],
    ids=["cut", "list", "null", "no id", "deep", "long number", "nan", "surrogate", "empty"],
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


def test_what_is_no_file_of_text_is_told(tmp_path: Path) -> None:
    """
    A folder, nothing, another encoding: which file, and which line.
    """
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": 1, "question": "a"}\n{"id": 2, "question": "caf\xe9"}')

    for name, told in (
        ("", "can't be read"),
        ("none", "can't be read"),
        ("latin.jsonl", "line 2: is not UTF-8"),
    ):
        with pytest.raises(LocalProblem, match=told):
            questions(None, tmp_path / name)


@pytest.mark.parametrize(("question", "told"), [(" ", "is empty"), ("caf\udce9", "is not UTF-8 text")])
def test_a_question_of_the_command_line_is_text(question: str, told: str) -> None:
    """
    An empty one, or one in another encoding than the terminal's, is told before anything is asked.
    """
    with pytest.raises(LocalProblem, match=told):
        questions(question, None)
