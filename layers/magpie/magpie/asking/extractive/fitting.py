"""How much of what was chosen is told: no more paragraphs, and sentences in each, than the site wants."""

from collections.abc import Sequence
from dataclasses import replace

from magpie.asking.extractive.choosing import Chosen, Scored

LEAST_ITEMS = 3  # of what is told as a list


def fitted(chosen: Sequence[Chosen], paragraphs: int, sentences: int) -> tuple[tuple[Chosen, ...], ...]:
    """
    What is told of each part of a question, by paragraphs: a paragraph each while there are as many, else
    some share one. Parts for which not even a sentence is left are missing at the end.
    """
    told = chosen[: paragraphs * sentences]
    found: list[tuple[Chosen, ...]] = []
    start = 0
    for size in _sizes(len(told), paragraphs):
        found.append(_paragraph(told[start : start + size], sentences))
        start += size
    return tuple(found)


def is_list(units: Sequence[Scored]) -> bool:
    """Whether lines, items and rows are told below each other; an item of a list is no sentence of its own."""
    return sum(one.unit.kind != "sentence" for one in units) >= LEAST_ITEMS


def _sizes(parts: int, paragraphs: int) -> tuple[int, ...]:
    """How many parts each paragraph holds: as even as can be, the first ones more."""
    count = min(parts, paragraphs)
    return tuple(parts // count + (place < parts % count) for place in range(count))


def _paragraph(told: Sequence[Chosen], sentences: int) -> tuple[Chosen, ...]:
    """Each part its best sentence, then one more in turn as long as there is room."""
    wanted = [len(_counted(one)) for one in told]
    rooms = [0] * len(told)
    while sum(rooms) < min(sentences, sum(wanted)):
        hungry = (place for place in range(len(told)) if rooms[place] < wanted[place])
        rooms[min(hungry, key=rooms.__getitem__)] += 1
    return tuple(_cut(one, room) for one, room in zip(told, rooms, strict=True))


def _cut(chosen: Chosen, room: int) -> Chosen:
    """The best sentences, in their order; of a value that was asked for, those that hold it."""
    counted = _counted(chosen)
    kept = sorted(counted, key=lambda one: (not one.has_shape, -one.score))[:room]
    return replace(chosen, units=tuple(one for one in chosen.units if one in kept or one not in counted))


def _counted(chosen: Chosen) -> tuple[Scored, ...]:
    """The units that are sentences of their own."""
    listed = is_list(chosen.units)
    return tuple(one for one in chosen.units if not listed or one.unit.kind == "sentence")
