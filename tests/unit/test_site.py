"""The site file: what is right is a value, what is wrong names file, line and key."""

import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from magpie.errors import SiteInvalid
from magpie.site import Part, Site, load_site, matches, read_site
from magpie.site_problems import PATTERNS

ROOT = Path(__file__).parents[2]
LAYER = ROOT / "layers" / "magpie" / "magpie"

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
        ("", "is empty"),
        ("# nothing yet\n", "is empty"),
        ("site: 1\nsite: 2\n", "line 2, site: stands twice"),
        ("a: &x 1\nb: *x\n", "line 2"),
        ("a: b\n\tc: d\n", "line 2"),
        ("x: " + "y" * 600_000, "over 512 kB"),
    ],
)
def test_what_is_not_a_site_file_is_refused(text: str, words: str) -> None:
    """Broken, empty, doubled, aliased or huge YAML is a sentence with a line, never a traceback."""
    assert words in problems(text)[0]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: Demo", "name: 42", "line 1, site.name: is 42; it must be one text; put it in quotes"),
        ("name: Pia", "name: [Pia]", "line 2, persona.name: is a list; it must be one text"),
        ("name: Pia", "name: ", "line 2, persona.name: is empty; it must be one text"),
        ("{name: Pia}", "\n  - name: Pia", "line 2, persona: is a list; it must be a section"),
        ("type: article", "typ: article", "did you mean `type`?"),
        ("type: article", "greeting: Hello", "it is known as `persona.greeting`"),
        ("type: article", "zzzzzz: 1", "here it knows path, type, ignore"),
        ("type: article", "scope: compny", "did you mean `company`?"),
        ("type: article", "ignore: maybe", "it must be `true` or `false`"),
        ("type: article", "priority: -1", "line 5, sources.0.priority: is -1; it must be at least 0"),
        ("type: article", "type: Article!", "it must be small letters"),
        ("key: demo, ", "", "line 1, site.key: is missing"),
        ("key: demo", "key: demo, languages: [english]", "english is no language's code"),
        ("sources:", "looks: {accent: blue}\nsources:", "a colour of # and six digits"),
        ("sources:", "retrieval: {threshold: .nan}\nsources:", "a number that has an end"),
        ("sources:", "1: x\nsources:", "keys are texts, so put it in quotes"),
        ("sources:", "{[a]: b}: 1\nsources:", "a map can't be a key"),
        ("sources:", "limits: {questions: " + "9" * 5000 + "}\nsources:", "line 3, limits: "),
        ("sources:", "looks:\n\tmode: inline\nsources:", "line 4, looks: broken YAML: a tab stands here"),
        ("sources:", "looks: {starters: [When?, Who?]}\nsources:", "a text with ? in it needs quotes"),
        ("sources:", "looks: !!python/name:os.system {}\nsources:", "write a plain value"),
        ("sources:", "looks: {theme: 'da\0rk'}\nsources:", "line 3, looks: holds the character U+0000"),
        ("name: Pia", "name: @pia", "a text can't begin with @"),
        ('"posts/**/*.md"', "**/*.md", "put the text in quotes"),
        ('/*.md"', "/*.md", "line 4, sources: broken YAML: a quotation mark that is opened here"),
        (
            "sources:",
            "a: " + "[" * 3000 + "]" * 3000 + "\nsources:",
            "line 3, a: is nested more than 20 deep",
        ),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else None,
)
def test_each_slip_is_told_in_a_sentence(old: str, new: str, said: str) -> None:
    """What stands there, what may stand there, what to do: in words for an owner, not for a programmer."""
    told = "\n".join(problems(LEAST.replace(old, new, 1)))

    assert said in told
    assert not re.search(r"Input should|valid string|Extra inputs|constructor|simple key|block mapping", told)


def test_no_kind_of_error_is_told_in_the_validators_words() -> None:
    """A constraint that a section uses has its sentence: a new kind, or a new pattern, needs one too."""
    used = set(re.findall(r'pattern=r"(.*?)"', (LAYER / "site.py").read_text("utf-8")))

    assert used == set(PATTERNS)


@pytest.mark.parametrize("raw", [b"\x89PNG\r\n\x1a\n", LEAST.encode("utf-16"), b"site: 1\nname: P\xeda\n"])
def test_what_is_no_text_is_refused_with_its_line(raw: bytes) -> None:
    """A picture, another encoding: which line, which byte, what to do."""
    with pytest.raises(
        SiteInvalid, match=rf"line {raw.count(10, 0, 9) + 1 if b'name' in raw else 1}, .*save it as UTF-8"
    ):
        read_site(raw)


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    """Editors on Windows write one."""
    assert read_site(b"\xef\xbb\xbf" + LEAST.encode()).site.key == "demo"


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
