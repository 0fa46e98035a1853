"""`magpie redact`: shows a text as it would be stored. Prints what was found by kind and place, never what it was."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from cli.rows import objects
from infra.local.problems import LocalProblem
from magpie.text.redaction import PolicyName, Redacted, RedactionPolicy, redact, report, survivors

_HALF_PAIR = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Row:
    """One text to redact; `id` is given back with it. A text that can't be had has a problem instead."""

    id: Any
    text: str
    problem: str = ""


def run_redact(
    target: str | None,
    file: Path | None,
    policy: str = "public",
    as_json: bool = False,
    literals: tuple[str, ...] = (),
    public_contacts: tuple[str, ...] = (),
) -> int:
    """
    Redact one file (`-`: standard input), or each row of a JSONL file; 0, or 1 where something could not be redacted.

    Raises: LocalProblem when the options don't fit or the one file can't be read.
    """
    chosen = _policy(policy, literals, public_contacts)
    if (target is None) == (file is None):
        raise LocalProblem("give one PATH, or - for standard input, or many texts with --file ROWS.jsonl")
    if target is not None:
        return _show_one(_read(target), chosen, as_json)
    results = [_show_row(row, chosen) for row in _rows(cast(Path, file))]
    return 0 if all(results) else 1


def _policy(name: str, literals: tuple[str, ...], public_contacts: tuple[str, ...]) -> RedactionPolicy:
    if name not in get_args(PolicyName):
        raise LocalProblem(f"there is no policy {name}; choose one of {', '.join(get_args(PolicyName))}")
    return RedactionPolicy(name=cast(PolicyName, name), literals=literals, public_contacts=public_contacts)


def _show_one(text: str, policy: RedactionPolicy, as_json: bool) -> int:
    redacted, problem = _redacted(text, policy)
    if problem:
        raise LocalProblem(problem)
    if as_json:
        print(_json(_fields(redacted)), flush=True)
        return 0
    sys.stdout.write(redacted.text)
    counts = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in report(redacted.found).items())
    print(f"redacted: {counts or 'nothing'}", file=sys.stderr)
    return 0


def _show_row(row: Row, policy: RedactionPolicy) -> bool:
    redacted, problem = (None, row.problem) if row.problem else _redacted(row.text, policy)
    if redacted is None or problem:
        print(_json({"id": row.id, "error": {"code": "not_redacted", "message": problem}}), flush=True)
        return False
    print(_json({"id": row.id, **_fields(redacted)}), flush=True)
    return True


def _redacted(text: str, policy: RedactionPolicy) -> tuple[Redacted, str]:
    redacted = redact(text, policy)
    left = survivors(redacted.text, policy)
    kinds = ", ".join(report(left))
    return redacted, f"still holds personal data after redaction ({kinds})" if left else ""


def _fields(redacted: Redacted) -> dict[str, Any]:
    found = [{"kind": one.kind, "start": one.start, "end": one.end} for one in redacted.found]
    return {"text": redacted.text, "found": found}


def _json(value: dict[str, Any]) -> str:
    """Readable, unless it holds half a surrogate pair, which no output can."""
    readable = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if _HALF_PAIR.search(readable) else readable


# --- Reading ------------------------------------------------------------------------------------


def _read(target: str) -> str:
    try:
        # Bytes, since universal newlines would move every offset behind a CRLF.
        data = sys.stdin.buffer.read() if target == "-" else Path(target).read_bytes()
        return data.decode("utf-8")
    except OSError as exc:
        raise LocalProblem(f"{target} can't be read: {exc.strerror or exc}") from exc
    except UnicodeDecodeError as exc:
        reason = "is not UTF-8 text; `magpie read` takes the text out of PDF and HTML files"
        raise LocalProblem(f"{target} {reason}") from exc


def _rows(file: Path) -> Iterator[Row]:
    return (_row(value) for value, _ in objects(file, "an object with `id` and `text` or `path`"))


def _row(value: Mapping[str, Any]) -> Row:
    if isinstance(value.get("text"), str):
        return Row(value["id"], value["text"])
    if not isinstance(value.get("path"), str):
        return Row(value["id"], "", "has neither `text` nor `path`")
    try:
        return Row(value["id"], _read(value["path"]))
    except LocalProblem as exc:
        return Row(value["id"], "", str(exc))
