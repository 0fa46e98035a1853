"""The page that is open: its first chunk, or all of them within the evidence budget."""

import re

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import hears
from magpie.model import Passage

SHARE_OF_BUDGET = 0.75  # the rest is left for what stands elsewhere
LONGEST_DEICTIC_WORDS = 12


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """A question that points at the page is answered from it; any other gets it besides."""
    if asked.question.page is None:
        return None
    rows = [row for row in asked.rows if row.url and path_of(row.url) == path_of(asked.question.page.path)]
    if not rows:
        return None
    is_meant = points(asked)
    if not is_meant and asked.rule.chunks == "first":
        return None
    found = await reader.of_sources([row.key for row in rows], first_only=asked.rule.chunks == "first")
    passages = ranked(_within(found, int(asked.site.speaking.context_chars * SHARE_OF_BUDGET)))
    reason = "points at the open page" if is_meant else "the open page, besides"
    return Routed(answer=asked.answer(passages, reason=reason), goes_on=not is_meant)


def points(asked: Asked) -> bool:
    """Whether a short question says `this`, `here`, `it` while a page is open."""
    is_short = len(asked.text.split()) <= LONGEST_DEICTIC_WORDS
    return asked.question.page is not None and is_short and hears("page", asked.text)


def path_of(url: str) -> str:
    """The bare path of an address or a path."""
    bare = re.sub(r"^https?://[^/]*", "", url).split("#")[0].split("?")[0]
    return bare.removesuffix("index.html").strip("/").lower()


def _within(passages: tuple[Passage, ...], budget_chars: int) -> tuple[Passage, ...]:
    kept: list[Passage] = []
    left = budget_chars
    for passage in passages:
        left -= len(passage.content)
        if kept and left < 0:
            break
        kept.append(passage)
    return tuple(kept)
