"""Links and contact: the owner's own list, read directly, before any likeness."""

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import hears, holds_any


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """The list leads; the search may add what the list does not know."""
    if not (asked.rule.sources or asked.rule.types):
        return None
    if not (hears("link", asked.text) or holds_any(asked.rule.words, asked.text)):
        return None
    passages = ranked(await reader.of_sources([row.key for row in asked.of_rule()], first_only=False))
    return (
        Routed(answer=asked.answer(passages, reason="asks for a way to reach us"), fills=True)
        if passages
        else None
    )
