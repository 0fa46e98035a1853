"""
From passages to evidence: merged by chunk, the strongest kept, numbered, trimmed to the budget.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from magpie.asking.links import LinkTokens
from magpie.model import Evidence, Passage, RouteAnswer

LEAST_CHARS = 80  # a shorter tail of a passage proves nothing


def merged(answers: Sequence[RouteAnswer]) -> tuple[Passage, ...]:
    """
    Each chunk once, its strongest find kept, best first.

    Scores compare within one search only, so searches take turns by rank; a certain route's
    passages stand first, in its own order.
    """
    certain = [answer.passages for answer in answers if answer.certain]
    others = [answer.passages for answer in answers if not answer.certain]
    ordered = [passage for passages in certain for passage in passages] + list(_in_turns(others))
    return _once(ordered)


def _in_turns(lists: Sequence[Sequence[Passage]]) -> Iterable[Passage]:
    for rank in range(max((len(passages) for passages in lists), default=0)):
        here = [passages[rank] for passages in lists if rank < len(passages)]
        yield from sorted(here, key=lambda passage: -passage.score)


def _once(ordered: Iterable[Passage]) -> tuple[Passage, ...]:
    kept: dict[int, Passage] = {}
    for passage in ordered:
        known = kept.get(passage.chunk_id)
        if known is None:
            kept[passage.chunk_id] = passage
        elif passage.score > known.score:
            kept[passage.chunk_id] = replace(passage, route=known.route)
    return tuple(kept.values())


def numbered(passages: Sequence[Passage], budget_chars: int, links: LinkTokens) -> tuple[Evidence, ...]:
    """Evidence from 1, in order of rank, its addresses as tokens, until the budget is used up."""
    found: list[Evidence] = []
    left = budget_chars
    for passage in passages:
        text = _trimmed(passage.content, left)
        if found and len(text) < min(LEAST_CHARS, len(passage.content)):
            break
        found.append(Evidence(number=len(found) + 1, passage=passage, text=links.hide(text)))
        left -= len(text)
    return tuple(found)


def _trimmed(content: str, budget_chars: int) -> str:
    if len(content) <= budget_chars:
        return content
    cut = content[: max(0, budget_chars)]
    return cut[: max(cut.rfind(". ") + 1, cut.rfind("\n"), cut.rfind(" "), 0)].rstrip()
