"""`magpie read` over packs of awkward real files: Markdown, PDF, web pages. Prints a table of each."""

import json
import os
import re
import time
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.read import look

ROOT = Path(__file__).resolve().parents[2]
PACKS = Path(os.environ.get("MAGPIE_CASES", ROOT.parent / "shared" / "cases"))
SNIPPETS_SHARE = 0.95
PDF_TIME_S = 10.0

pytestmark = [
    pytest.mark.skipif(not (PACKS / "markdown").exists(), reason="no packs of documents; set MAGPIE_CASES"),
    pytest.mark.timeout(1800),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A row of a pack and what was read of its file, in `seconds`."""

    row: Mapping[str, Any]
    seen: Mapping[str, Any]
    seconds: float

    @property
    def text(self) -> str:
        return str(self.seen.get("text", ""))

    @property
    def error(self) -> str:
        return str(self.seen["error"]["code"]) if "error" in self.seen else ""


def cases(pack: str, rows: str) -> Iterator[Case]:
    for line in (PACKS / pack / rows).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        started = time.monotonic()
        seen = next(iter(look(PACKS / pack / row["file"])))
        yield Case(row=row, seen=seen, seconds=time.monotonic() - started)


def even(text: str) -> str:
    """Compatible forms, no soft hyphens, white space collapsed."""
    folded = unicodedata.normalize("NFKC", text).replace("\u00ad", "").replace("\ufffe", "")
    return " ".join(folded.split())


def table(title: str, faults: Mapping[str, list[str]]) -> None:
    good = sum(not found for found in faults.values())
    print(f"\n{title}: {good} of {len(faults)} as expected")
    for name, found in faults.items():
        print(f"  {'ok ' if not found else 'BAD'} {name} {'; '.join(found)}")


# Markdown


def test_markdown_is_read_as_its_authors_see_it():
    """Title, day, headings in order, code whole in a chunk, phrases there, hidden ones not: every file."""
    faults = {case.row["id"]: list(markdown_faults(case)) for case in cases("markdown", "cases.jsonl")}

    table("markdown", faults)

    assert [name for name, found in faults.items() if found] == []


def markdown_faults(case: Case) -> Iterator[str]:
    row = case.row
    if case.error:
        yield f"refused: {case.error}"
        return
    if case.seen["title"] not in (row["title"], *(row.get("title_accept") or [])):
        yield f"title {case.seen['title']!r}"
    if case.seen["date"] != row["date"]:
        yield f"date {case.seen['date']}"
    yield from heading_faults(case)
    yield from (
        f"code cut: {code['first_line']}" for code in row["code_must_stay_whole"] if not is_whole(code, case)
    )
    yield from (f"lost: {phrase}" for phrase in row["must_contain"] if even(phrase) not in even(case.text))
    hidden = (row.get("must_not_contain") or []) + (row.get("must_not_contain_soft") or [])
    yield from (f"not hidden: {phrase}" for phrase in hidden if even(phrase) in even(case.text))


def heading_faults(case: Case) -> Iterator[str]:
    wanted = [tuple(heading) for heading in case.row["headings"]]
    spare = {tuple(heading) for heading in case.row["optional_headings"] + case.row["nested_headings"]}
    found = [(heading["level"], heading["text"]) for heading in case.seen["headings"]]
    if [heading for heading in found if heading in wanted or heading not in spare] != wanted:
        yield f"headings {found}"


def is_whole(code: Mapping[str, Any], case: Case) -> bool:
    first, last = code["first_line"].strip(), code["last_line"].strip()
    return any(first in chunk["text"] and last in chunk["text"] for chunk in case.seen["chunks"])


# PDF


def test_pdf_files_are_read_or_refused_with_the_reason():
    """Text where there is text, a reason where there is none, in time, whatever the file does: every file."""
    faults = {case.row["file"]: list(pdf_faults(case)) for case in cases("pdf", "cases.jsonl")}

    table("pdf", faults)

    assert [name for name, found in faults.items() if found] == []


def pdf_faults(case: Case) -> Iterator[str]:
    expected = case.row["expect"]
    if expected == "text" and case.error:
        yield f"refused: {case.error}"
    if expected == "text" and not case.error:
        yield from (
            f"lost: {phrase}" for phrase in case.row["must_contain"] if even(phrase) not in even(case.text)
        )
    if expected == "no_text" and case.error != "no_text":
        yield f"no_text expected, {case.error or 'text'} found"
    if expected == "error" and not case.error:
        yield "was read"
    if case.seconds > PDF_TIME_S and case.error != "too_slow":
        print(
            f"  {case.row['file']} took {case.seconds:.1f} s: more than {PDF_TIME_S:g} s, unless the machine was busy"
        )


# Web pages


def test_web_pages_give_their_main_text():
    """Snippets of the main text are there and those of what stands around it are not: 95 of 100."""
    there = gone = wanted = unwanted = hidden = 0
    for case in cases("html", "pages.jsonl"):
        text = re.sub(r"\s+", " ", case.text)
        lost = [one for one in case.row["present"] if even(one) not in even(text)]
        kept = [one for one in case.row["absent"] if even(one) in even(text)]
        shown = [one for one in case.row["absent_hidden"] if even(one) in even(text)]
        wanted, there = wanted + len(case.row["present"]), there + len(case.row["present"]) - len(lost)
        unwanted, gone = unwanted + len(case.row["absent"]), gone + len(case.row["absent"]) - len(kept)
        hidden += len(shown)
        print(f"  {case.row['id']}: lost {lost}, kept {kept}, hidden but shown {shown}")

    print(f"html: present {there}/{wanted}, absent {gone}/{unwanted}, hidden shown {hidden}")

    assert there >= SNIPPETS_SHARE * wanted
    assert gone >= SNIPPETS_SHARE * unwanted
    assert hidden == 0
