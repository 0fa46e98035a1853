"""`magpie read` shows what Magpie would store."""

from pathlib import Path

from cli.read import look
from magpie.site import Site, load_site

SITE = """
site: {key: harbour, name: Harbour, url: "https://harbour.example"}
persona: {name: Gull}
privacy: {public_contacts: [desk@harbour.example]}
sources:
  - {path: "cv/**", type: cv, scope: person, redaction: {policy: cv, approved: true, literals: [Brightwater]}}
  - {path: "unread/**", type: cv, scope: person, redaction: {policy: cv}}
  - {path: "web/**", type: page}
  - {path: "**", type: page}
"""
TEXT = "# Ann\n\nWrite to ann@mail.example or desk@harbour.example. She worked at Brightwater.\n\nKey sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD\n"


def seen(tmp_path: Path, name: str, site: Site | None) -> dict:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT, encoding="utf-8")
    (one,) = look(path, site, tmp_path)
    return one


def test_with_a_site_it_is_redacted_by_the_rule_of_its_path(tmp_path: Path):
    """A page keeps the public contact, a CV keeps none and loses its literals; chunks point into what is shown."""
    site = load_site(SITE)

    page, cv = seen(tmp_path, "pages/ann.md", site), seen(tmp_path, "cv/ann.md", site)

    assert "ann@mail.example" not in page["text"] and "desk@harbour.example" in page["text"]
    assert not [word for word in ("ann@", "desk@", "Brightwater", "sk-proj") if word in cv["text"]]
    assert all(cv["text"][one["start"] : one["end"]] == one["text"] for one in cv["chunks"])
    assert "redacted" in [notice["code"] for notice in cv["notices"]]


def test_a_refusal_of_the_site_is_shown(tmp_path: Path):
    """A CV that nobody approved is not shown: it would not be stored either."""
    one = seen(tmp_path, "unread/ann.md", load_site(SITE))

    assert one["error"]["code"] == "not_approved"


def test_without_a_site_only_secrets_are_taken_out(tmp_path: Path):
    """Nothing says which contacts are public, but a key never is."""
    one = seen(tmp_path, "ann.md", None)

    assert "ann@mail.example" in one["text"] and "sk-proj" not in one["text"]


def test_a_fetched_page_is_read_like_any_other(tmp_path: Path):
    """Its header lines are not shown, its text is."""
    path = tmp_path / "web" / "harbour.example" / "tides.page"
    path.parent.mkdir(parents=True)
    path.write_bytes(
        b"Address: https://harbour.example/tides\nType: text/html\n\n<html><body><main><h1>Tides</h1><p>Noon.</p></main></body></html>"
    )

    (one,) = look(path, load_site(SITE), tmp_path)

    assert (one["title"], "Address" in one["text"]) == ("Tides", False)
