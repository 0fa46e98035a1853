"""
The literals that a site file names, found through case, accents, spacing, line breaks and look-alike letters.
"""

from collections.abc import Iterator

from magpie.text.obfuscation import Span, Squeezed, squeeze, view

_ROOM_A_LETTER = 8
"""Characters of the text that one letter of a literal may take: `J . o h n`, a line break, indentation."""


def find_literals(text: str, squeezed: Squeezed, literals: tuple[str, ...]) -> Iterator[Span]:
    """All places of all literals in a plain view."""
    for literal in literals:
        wanted = squeeze(view(literal).text).text
        yield from (
            _squeezed_places(text, squeezed, wanted) if wanted else _plain_places(text, literal.strip())
        )


def _squeezed_places(text: str, squeezed: Squeezed, wanted: str) -> Iterator[Span]:
    at = squeezed.text.find(wanted)
    while at >= 0:
        first, last = squeezed.places[at], squeezed.places[at + len(wanted) - 1]
        if _stands_alone(text, first, last) and last - first < _ROOM_A_LETTER * len(wanted):
            yield "literal", first, last + 1
        at = squeezed.text.find(wanted, at + 1)


def _stands_alone(text: str, first: int, last: int) -> bool:
    """`Ana` is not in `Banana`."""
    before = first > 0 and text[first - 1].isalnum()
    after = last + 1 < len(text) and text[last + 1].isalnum()
    return not before and not after


def _plain_places(text: str, literal: str) -> Iterator[Span]:
    at = text.find(literal) if literal else -1
    while at >= 0:
        yield "literal", at, at + len(literal)
        at = text.find(literal, at + len(literal))
