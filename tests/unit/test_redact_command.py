"""`magpie redact`: one text or many, as JSON or as text."""

import io
import json
from pathlib import Path

import pytest

from cli.redact import run_redact
from infra.local.problems import LocalProblem


def test_one_file_gives_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    The object holds the redacted text, and kind, start and end of each find in the original.
    """
    file = tmp_path / "cv.txt"
    file.write_bytes("Olá\r\nana@exemplo.pt\r\n".encode())

    code = run_redact(str(file), None, "cv", as_json=True)

    assert code == 0
    assert json.loads(capsys.readouterr().out) == {
        "text": "Olá\r\n[redacted email]\r\n",
        "found": [{"kind": "email", "start": 5, "end": 19}],
    }


def test_without_json_the_text_comes_alone_and_counts_go_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Standard output is the redacted text and nothing else; the counts are on standard error, never the values.
    """
    file = tmp_path / "page.txt"
    file.write_text("Call +351 912 345 678", encoding="utf-8")

    run_redact(str(file), None, "public")

    shown = capsys.readouterr()
    assert shown.out == "Call [redacted phone]"
    assert shown.err == "redacted: 1 phone\n"


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """
    `-` reads what is piped in.
    """
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("José, jose@exemplo.pt".encode())))

    run_redact("-", None, "cv", as_json=True, literals=("josé",))

    assert json.loads(capsys.readouterr().out)["text"] == "[redacted literal], [redacted email]"


def test_rows_come_back_in_order_with_their_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    Each row gives one line in order; a row that can't be read is an error of its own and the code is 1.
    """
    text = tmp_path / "a.txt"
    text.write_text("ana@exemplo.pt", encoding="utf-8")
    rows = tmp_path / "rows.jsonl"
    lines = [{"id": 1, "text": "x"}, {"id": "b", "path": str(text)}, {"id": 3, "path": "gone.txt"}, {"id": 4}]
    rows.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")

    code = run_redact(None, rows, "public", as_json=True)

    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 1
    assert [result["id"] for result in results] == [1, "b", 3, 4]
    assert results[1]["text"] == "[redacted email]"
    assert "gone.txt" in results[2]["error"]["message"]
    assert "neither" in results[3]["error"]["message"]


@pytest.mark.parametrize(
    ("target", "policy", "says"),
    [
        (None, "cv", "--file"),
        ("absent.txt", "cv", "can't be read"),
        ("absent.txt", "all", "choose one of none, public, cv"),
    ],
)
def test_what_does_not_fit_is_said(target: str | None, policy: str, says: str) -> None:
    """
    A missing path, a file that is not there and an unknown policy end with a sentence.
    """
    with pytest.raises(LocalProblem, match=says):
        run_redact(target, None, policy)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """
    A PDF's bytes are no text; the message names the command that reads them.
    """
    file = tmp_path / "cv.pdf"
    file.write_bytes(b"%PDF-1.7 \xff\xfe")

    with pytest.raises(LocalProblem, match="magpie read"):
        run_redact(str(file), None)
