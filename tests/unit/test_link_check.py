"""Which links are looked at, and which answers call one dead."""

import pytest

from magpie.ingesting.link_check import links_in, verdict
from magpie.model import WebAnswer, WebFailed, WebFound, WebGone, WebUnchanged

WHERE = "https://bakery.example/"


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[Rye](https://bakery.example/rye) is.", ["https://bakery.example/rye"]),
        (
            "See https://bakery.example/a_(b), or (https://bakery.example/c).",
            ["https://bakery.example/a_(b)", "https://bakery.example/c"],
        ),
        (
            "<https://bakery.example/x> **https://bakery.example/y**",
            ["https://bakery.example/x", "https://bakery.example/y"],
        ),
        ("bakery.example and mailto:a@b.example", []),
    ],
)
def test_links_are_found_without_what_stands_around_them(text: str, links: list[str]):
    """Brackets, full stops and emphasis are no part of an address; brackets within it are."""
    assert list(links_in(text)) == links


@pytest.mark.parametrize(
    ("answer", "is_dead"),
    [
        (WebFound(address=WHERE, raw=b"", media_type=""), False),
        (WebUnchanged(address=WHERE), False),
        (WebGone(address=WHERE, status=410), True),
        (WebFailed(address=WHERE, code="status", reason="answers 500"), True),
        (WebFailed(address=WHERE, code="status", reason="answers 403"), False),
        (WebFailed(address=WHERE, code="unreachable", reason="the name can't be resolved"), True),
        (WebFailed(address=WHERE, code="robots", reason="asks not to"), False),
        (WebFailed(address=WHERE, code="busy", reason="asked too often"), False),
    ],
)
def test_only_what_answers_that_it_is_dead_is_dead(answer: WebAnswer, is_dead: bool):
    """A door that is shut, a robots.txt and a busy server are no verdict."""
    assert bool(verdict(answer)) == is_dead
