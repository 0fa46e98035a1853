"""
What a change of the corpus says in facts: prices, dates, people, links, addresses that came or went.

A diff of words tells an owner what was typed; this tells what visitors will hear otherwise.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from magpie.model import SourceChange
from magpie.text.facts import Fact, facts

Told = tuple[str, str]
"""A fact's kind and how it was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChange:
    """Facts of one source that only one of two versions holds, each once, in the text's order."""

    change: SourceChange
    gone: tuple[Told, ...]
    new: tuple[Told, ...]


def fact_change(change: SourceChange, language: str) -> FactChange:
    """Compares what the facts mean where that is known (`£1,200` and `£1200` are one), else how they read."""
    before, after = (_by_meaning(facts(text or "", language)) for text in (change.before, change.after))
    return FactChange(
        change=change,
        gone=tuple(told for meaning, told in before.items() if meaning not in after),
        new=tuple(told for meaning, told in after.items() if meaning not in before),
    )


def _by_meaning(found: Iterable[Fact]) -> dict[tuple[object, ...], Told]:
    meanings: dict[tuple[object, ...], Told] = {}
    for fact in found:
        if not fact.weak:
            meanings.setdefault(_meaning(fact), (str(fact.kind), _written(fact)))
    return meanings


def _meaning(fact: Fact) -> tuple[object, ...]:
    if fact.quantity is not None:
        return (fact.kind, fact.quantity.amounts, fact.quantity.unit, fact.quantity.currency)
    return (fact.kind, fact.days or fact.normal or " ".join(fact.text.casefold().split()))


def _written(fact: Fact) -> str:
    currency = fact.quantity.currency if fact.quantity else None
    return f"{currency} {fact.text.strip()}" if currency else fact.text.strip()
