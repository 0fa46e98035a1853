"""
People: who is named, by a full name or by a first name that only one person bears.

Evidence of one person stays alone: what the team can do proves nothing of one of them.
"""

from magpie.asking.routes.asked import Asked, Reader, ranked
from magpie.asking.routes.names import people_in, strict, technologies_in
from magpie.asking.routes.routed import Routed
from magpie.asking.routes.words import hears
from magpie.model import Passage
from magpie.ports import SourceRow


async def answer(asked: Asked, reader: Reader) -> Routed | None:
    """An ambiguous name asks back; one person's sources are read whole, and nothing is added."""
    rows = asked.of_rule()
    named = people_in([row for row in rows if row.person_key or "person" in row.key.source_type], asked.text)
    if not named or _asks_for_writings(asked):
        return None
    ambiguous = [group for group in named if len(group) > 1]
    if ambiguous:
        choices = tuple(sorted(row.title for row in ambiguous[0]))
        return Routed(answer=asked.answer(choices=choices, reason="a name that several people bear"))
    people = tuple(group[0] for group in named)
    passages = ranked(
        await reader.of_sources(
            [row.key for person in people for row in _sources(rows, person)], first_only=False
        )
    )
    missing = _missing(asked, passages)
    if missing:
        return Routed(
            answer=asked.answer(
                certain=asked.is_whole, reason=f"{missing} is not in the person's own sources"
            )
        )
    return Routed(
        answer=asked.answer(passages, reason=f"names {', '.join(person.title for person in people)}")
    )


def _asks_for_writings(asked: Asked) -> bool:
    """What somebody wrote is a question to the articles, where the site has a route for them."""
    has_route = any(rule.route == "articles" for rule in asked.site.routes)
    return has_route and hears("writings", asked.text)


def _sources(rows: tuple[SourceRow, ...], person: SourceRow) -> tuple[SourceRow, ...]:
    """The person's own record first, then what else is scoped to them."""
    same = [
        row
        for row in rows
        if row.person_key and row.person_key == person.person_key and row.key != person.key
    ]
    return (person, *same)


def _missing(asked: Asked, passages: tuple[Passage, ...]) -> str:
    """A technology of the question that none of the person's sources holds."""
    text = "\n".join(passage.content for passage in passages)
    terms = technologies_in(asked.text, asked.rule.terms)
    return next((term for term in terms if not strict(term).search(text)), "")
