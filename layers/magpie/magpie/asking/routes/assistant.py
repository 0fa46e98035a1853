"""Questions to the assistant about itself: its profile, read directly."""

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import hears


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """Certain: nobody else can know it."""
    keys = [row.key for row in asked.of_rule() if asked.rule.sources or asked.rule.types]
    if not keys or not (hears("assistant", asked.text) or _is_named(asked)):
        return None
    passages = ranked(await reader.of_sources(keys, first_only=False))
    return Routed(
        answer=asked.answer(
            passages, certain=asked.is_whole and bool(passages), reason="asks about the assistant"
        )
    )


def _is_named(asked: Asked) -> bool:
    name = asked.site.persona.name
    return (
        len(name) > 2
        and f" {name.casefold()} " in f" {asked.text.casefold().replace('?', ' ').replace(chr(39), ' ')} "
    )
