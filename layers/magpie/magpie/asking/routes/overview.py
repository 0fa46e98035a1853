"""What the whole site is about, or what its owner does: the pages that say so, read directly."""

from collections.abc import Sequence

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.page import path_of
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import hears, holds_any, plain, without
from magpie.ports import SourceRow
from magpie.text.stems import key_words

PATHS = (
    "about",
    "about-us",
    "sobre",
    "sobre-nos",
    "acerca",
    "a-propos",
    "ueber-uns",
    "chi-siamo",
    "over-ons",
    "gioi-thieu",
    "",
)
"""Where sites say what they are about, where the site file names no source."""


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """Certain: what the owner names as such needs no likeness."""
    if not _asks(asked):
        return None
    rows = asked.of_rule() if asked.rule.sources or asked.rule.types else _usual(asked.rows)
    passages = ranked(await reader.of_sources([row.key for row in rows[:1]], first_only=False))
    return (
        Routed(answer=asked.answer(passages, certain=asked.is_whole, reason="asks what it is all about"))
        if passages
        else None
    )


def _asks(asked: Asked) -> bool:
    said = plain(asked.text).strip(" ?!.")
    names_the_site = hears("about_whom", asked.text) and said.endswith(plain(asked.site.site.name))
    if not (names_the_site or hears("overview", asked.text) or holds_any(asked.rule.words, asked.text)):
        return False
    left = without(asked.text, asked.rule.words, ("overview", "about_whom"))
    site = frozenset(key_words(asked.site.site.name, asked.language))
    return not [word for word in key_words(left, asked.language) if word not in site]


def _usual(rows: Sequence[SourceRow]) -> tuple[SourceRow, ...]:
    """Pages under the usual addresses, the likeliest first."""
    found = [row for row in rows if row.url and "#" not in row.url and path_of(row.url) in PATHS]
    return tuple(sorted(found, key=lambda row: PATHS.index(path_of(row.url or ""))))
