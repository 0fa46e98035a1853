"""The site file: what is right is a value, what is wrong names file, line and key."""

import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from magpie.errors import SiteInvalid
from magpie.site import Part, Site, load_site, matches

ROOT = Path(__file__).parents[2]

LEAST = """\
site: {key: demo, name: Demo, url: "https://demo.example/"}
persona: {name: Pia}
sources:
  - path: "posts/**/*.md"
    type: article
"""


def problems(text: str) -> list[str]:
    with pytest.raises(SiteInvalid) as caught:
        load_site(text, "demo.yaml")
    return [str(problem) for problem in caught.value.problems]


def test_the_least_site_file_takes_the_ledgers_defaults() -> None:
    """Three sections are enough; chunks, weights, temperature and limits are then the ledger's."""
    site = load_site(LEAST)

    assert (site.chunking.size, site.chunking.overlap) == (1200, 180)
    assert (site.retrieval.semantic_weight, site.retrieval.keyword_weight) == (0.82, 0.18)
    assert (site.retrieval.candidates, site.retrieval.rescue, site.retrieval.top) == (24, 12, 8)
    assert (site.speaking.temperature, site.speaking.max_tokens) == (0.2, 700)
    assert (site.limits.questions, site.limits.window_s) == (10, 60)
    assert site.own_hosts == ("demo.example",)


def test_a_problem_names_file_line_and_key() -> None:
    """A wrong value is found by its line and its dotted key."""
    text = LEAST + "chunking:\n  size: 1200\n  overlap: many\n"

    (problem,) = problems(text)

    assert problem.startswith("demo.yaml, line 8, chunking.overlap: ")


def test_all_problems_are_told_at_once() -> None:
    """An owner mends a file in one go, not one error a run."""
    text = LEAST.replace("key: demo", "key: Demo!").replace("type: article", "typ: article")

    found = problems(text)

    assert [line.split(":")[0] for line in found] == [
        "demo.yaml, line 1, site.key",
        "demo.yaml, line 5, sources.0.typ",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [", "line 1"),
        ("- 1", "must be a mapping"),
        ("", "must be a mapping"),
        ("site: 1\nsite: 2\n", "line 2, site: stands twice"),
        ("a: &x 1\nb: *x\n", "line 2"),
        ("a: b\n\tc: d\n", "line 2"),
        ("x: " + "y" * 600_000, "over 512 kB"),
    ],
)
def test_what_is_not_a_site_file_is_refused(text: str, words: str) -> None:
    """Broken, empty, doubled, aliased or huge YAML is a sentence with a line, never a traceback."""
    assert words in problems(text)[0]


def test_a_source_rule_may_not_leave_the_corpus() -> None:
    """A path that climbs out or is absolute is refused."""
    for path in ("../secret/*.md", "/etc/*"):
        assert "corpus" in problems(LEAST.replace("posts/**/*.md", path))[0]


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("posts/**/*.md", "posts/a.md", True),
        ("posts/**/*.md", "posts/2024/05/a.md", True),
        ("posts/*.md", "posts/2024/a.md", False),
        ("**", "any/thing.txt", True),
        ("pages/**", "pages", True),
        ("*.md", "A.MD", False),
    ],
)
def test_a_star_stays_in_its_folder_and_two_cross(pattern: str, path: str, expected: bool) -> None:
    """Globs mean what they mean elsewhere, on every system."""
    assert matches(pattern, path) is expected


def test_the_first_rule_that_matches_counts() -> None:
    """Order in the file decides, so that an exception can stand before the rule."""
    site = load_site(LEAST.replace("sources:\n", "sources:\n  - {path: posts/draft.md, ignore: true}\n"))

    assert site.rule_for("posts/draft.md").ignore
    assert site.rule_for("posts/other.md").type == "article"
    assert site.rule_for("elsewhere/x.md") is None


def names_of(part: type[BaseModel]) -> set[str]:
    """The keys of a section and of the sections in it."""
    found = set(part.model_fields)
    for field in part.model_fields.values():
        for inner in (field.annotation, *get_args(field.annotation)):
            if isinstance(inner, type) and issubclass(inner, Part):
                found |= names_of(inner)
    return found


def test_every_key_is_described() -> None:
    """docs/site-file.md names each key that a site file may hold."""
    words = set(re.findall(r"[a-z_]+", (ROOT / "docs" / "site-file.md").read_text(encoding="utf-8")))

    assert names_of(Site) - {"text", "text_hash"} <= words
