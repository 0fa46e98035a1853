"""
The literals that a site file names, found through case, accents, spacing, line breaks and look-alike letters, with
umlauts as they are or written out (`Müller`, `Mueller`, `Muller`), and a name's last word first (`Silva, Ana`).
"""

from collections.abc import Iterator

from magpie.text.obfuscation import Span, Squeezed, View, squeeze, squeeze_spelled, view

_ROOM_A_LETTER = 8
"""Characters of the text that one letter of a literal may take: `J . o h n`, a line break, indentation."""


def find_literals(plain: View, source: str, literals: tuple[str, ...]) -> Iterator[Span]:
    """All places of all literals in a plain view of the source."""
    forms = [form for form in (squeeze(plain.text), squeeze_spelled(plain, source)) if form]
    for literal in literals:
        wanted = _wanted(literal)
        if not wanted:
            yield from _plain_places(plain.text, literal.strip())
        for squeezed in forms:
            for one in wanted:
                yield from _squeezed_places(plain.text, squeezed, one)


def _wanted(literal: str) -> frozenset[str]:
    """What to look for: the literal without and with its umlauts written out, in its order and last word first."""
    words = literal.split()
    orders = [literal, f"{words[-1]} {' '.join(words[:-1])}"] if 2 <= len(words) <= 5 else [literal]
    plain = [(view(order), order) for order in orders]
    forms = [form for one, order in plain for form in (squeeze(one.text), squeeze_spelled(one, order))]
    return frozenset(form.text for form in forms if form and form.text)


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
