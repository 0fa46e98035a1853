"""Topics whose sources the owner wants in the evidence whatever the likeness says."""

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import holds_any


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """The topic's sources lead; the search may add."""
    if not holds_any(asked.rule.words, asked.text) or not (asked.rule.sources or asked.rule.types):
        return None
    keys = [row.key for row in asked.of_rule()]
    passages = await reader.of_sources(keys, first_only=asked.rule.chunks == "first")
    return Routed(
        answer=asked.answer(ranked(passages[: asked.rule.limit]), reason="a forced topic"), fills=True
    )
