"""The redactor over a pack of labelled texts in nine countries' formats; prints recall by label and difficulty."""

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from magpie.text.redaction import Redacted, RedactionPolicy, redact, survivors

ROOT = Path(__file__).resolve().parents[2]
PACK = Path(os.environ.get("MAGPIE_CASES", ROOT.parent / "shared" / "cases")) / "pii" / "samples.jsonl"
CV = RedactionPolicy(name="cv")

pytestmark = pytest.mark.skipif(
    not PACK.exists(), reason=f"no cases pack: {PACK.parent.name}/{PACK.name} is absent; set MAGPIE_CASES"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One text of the pack with what became of it."""

    id: str
    text: str
    spans: tuple[dict[str, object], ...]
    must_keep: tuple[str, ...]
    redacted: Redacted


@pytest.fixture(scope="module")
def rows() -> tuple[Row, ...]:
    return tuple(_row(json.loads(line)) for line in PACK.read_text(encoding="utf-8").splitlines())


def _row(raw: dict[str, object]) -> Row:
    text = str(raw["text"])
    return Row(
        id=str(raw["id"]),
        text=text,
        spans=tuple(raw["spans"]),  # type: ignore[arg-type]
        must_keep=tuple(raw.get("must_keep", ())),  # type: ignore[arg-type]
        redacted=redact(text, CV),
    )


def _left(row: Row, start: int, end: int) -> str:
    """What of a span was not redacted; a blank stands for each part that was."""
    gone = {place for one in row.redacted.found for place in range(one.start, one.end)}
    return "".join(" " if place in gone else row.text[place] for place in range(start, end))


def _is_gone(label: str, value: str, left: str) -> bool:
    if label == "PHONE":
        return not re.search(r"\d{4}", re.sub(r"[ ().\-/\u2011]", "", left)) and not re.search(
            r"[^\W\d_]{3}", left
        )
    if label == "ADDRESS":
        street = re.search(r"[^,\n]*\d[^,\n]*", value)
        assert street is not None, value
        return not re.search(r"\w", left[street.start() : street.end()])
    return not re.search(r"\w", left)


def _wanted(rows: tuple[Row, ...]) -> Iterator[tuple[str, str, bool, Row, str]]:
    for row in rows:
        for span in row.spans:
            if span["must_redact"] is True:
                label, value = str(span["label"]), str(span["value"])
                left = _left(row, int(str(span["start"])), int(str(span["end"])))
                yield label, str(span.get("difficulty") or "plain"), _is_gone(label, value, left), row, value


def _touched(rows: tuple[Row, ...]) -> list[tuple[str, str]]:
    """Strings that had to stay and did not."""
    kept = [(row.id, keep) for row in rows for keep in row.must_keep if keep not in row.redacted.text]
    spans = [
        (row.id, str(span["value"]))
        for row in rows
        for span in row.spans
        if span["must_redact"] is False
        and _left(row, int(str(span["start"])), int(str(span["end"]))) != span["value"]
    ]
    return kept + spans


def test_contacts_never_pass_and_the_difficult_rarely(
    rows: tuple[Row, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Every plain e-mail address and phone number goes, four of five difficult ones, and nine of ten other personal data.
    """
    counts: dict[tuple[str, str], list[bool]] = defaultdict(list)
    missed = []
    for label, difficulty, is_gone, row, value in _wanted(rows):
        counts[label, difficulty].append(is_gone)
        missed += [] if is_gone else [f"{row.id} {label} {difficulty}: {value!r}"]

    with capsys.disabled():
        print(f"\n{'label':<12} {'difficulty':<10} {'gone':>5} {'of':>5} {'recall':>7}")
        for (label, difficulty), hits in sorted(counts.items()):
            print(f"{label:<12} {difficulty:<10} {sum(hits):>5} {len(hits):>5} {sum(hits) / len(hits):>7.3f}")
        print("\n".join(missed))

    assert all(counts["EMAIL", "plain"])
    assert all(counts["PHONE", "plain"])
    difficult = [hit for (_, difficulty), hits in counts.items() if difficulty != "plain" for hit in hits]
    assert sum(difficult) >= 0.8 * len(difficult)
    others = [hit for (_, difficulty), hits in counts.items() if difficulty == "plain" for hit in hits]
    assert sum(others) >= 0.9 * len(others)


def test_what_must_stay_stays(rows: tuple[Row, ...]) -> None:
    """
    Dates, versions, prices, names of organisations and places are as they were.
    """
    assert _touched(rows) == []


def test_nothing_survives_in_what_was_redacted(rows: tuple[Row, ...]) -> None:
    """
    A second look at a redacted text finds nothing.
    """
    assert [row.id for row in rows if survivors(row.redacted.text, CV)] == []
