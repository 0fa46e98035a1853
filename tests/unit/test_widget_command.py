"""`magpie widget tag`: what an owner copies into a page."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app
from functions.public.widget_release import build

RELEASE = build(Path(__file__).resolve().parents[2] / "widget")


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["widget", *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_tag_is_the_newests_address() -> None:
    """
    One line, asynchronous, nothing else to fill in.
    """
    assert run("tag", "--base", "https://assistant.example/") == (
        '<script async src="https://assistant.example/widget/magpie.js"></script>\n'
    )


def test_the_exact_tag_carries_what_is_served_there() -> None:
    """
    Version and hash in the tag are those of the loader at that address.
    """
    tag = run("tag", "--base", "https://assistant.example/prod", "--exact")

    assert f'src="https://assistant.example/prod/widget/{RELEASE.version}/magpie.js"' in tag
    assert re.search(r'integrity="([^"]+)"', tag)[1] == RELEASE.integrity("magpie.js")  # type: ignore[index]
    assert 'crossorigin="anonymous"' in tag


def test_machines_get_the_same_as_json() -> None:
    """
    `--json` gives tag, version and hash apart.
    """
    told = json.loads(run("tag", "--base", "https://assistant.example", "--exact", "--json"))

    assert told["version"] == RELEASE.version
    assert told["integrity"] in told["tag"]


@pytest.mark.parametrize(
    "base", ["assistant.example", "ftp://a.example", "https://", "https://a.example/?x=1"]
)
def test_what_is_no_address_is_refused(base: str) -> None:
    """
    A tag that could not work is not printed; the message shows one that does.
    """
    result = CliRunner().invoke(app, ["widget", "tag", "--base", base])

    assert result.exit_code == 1
    assert "https://assistant.example" in result.stderr
