"""
What to say of a thing as a whole: `Who is Ana?`, `Tell me about Tattie`, `What do you do?`

The question names its subject and asks nothing else, so its words choose no sentence; the
beginning of the subject's own page does.
"""

from collections.abc import Sequence
from dataclasses import replace

from magpie.asking.extractive.choosing import Chosen, Pool, Scored
from magpie.asking.extractive.terms import folded_words, held_by, share_of, terms_of
from magpie.asking.extractive.units import Unit
from magpie.asking.extractive.wants import Want
from magpie.asking.routes.names import names_in_title
from magpie.asking.routes.words import plain
from magpie.model import Evidence, Scope

OVERVIEW = "overview"
POINTED = frozenset({OVERVIEW, "page"})
"""Routes that know what the visitor means though the question does not name it."""
ROLE = ("role:", "position:", "função:", "puesto:", "poste:", "funktion:", "vai trò:")
LEAST_SHARED_WORDS = 2
LEAST_WORDS = 3  # of a line that says anything

Pair = tuple[Evidence, Unit]


def summary(part: str, want: Want, pool: Pool, language: str, most: int) -> Chosen | None:
    """The opening of the page that the part names or points at; None where it asks for more than that."""
    if "naming" in want.also:
        return None
    subject = _subject(part, want, pool, language)
    own = [pair for pair in pool.units if subject and pair[0].passage.key == subject.passage.key]
    told = _opening(own, part, language, pool.home, most)
    if not told:
        return None
    return Chosen(units=tuple(_scored(pair) for pair in told), confidence=1.0, has_more=len(own) > len(told))


def _subject(part: str, want: Want, pool: Pool, language: str) -> Evidence | None:
    items = {item.number: item for item, _ in pool.units}.values()
    overview = next((item for item in items if item.passage.route == OVERVIEW), None)
    if overview or want.kind or not want.also & {"define", "broad"}:
        return overview
    return next((item for item in items if _is_subject(item, part, language, pool.usual)), None)


def _is_subject(item: Evidence, part: str, language: str, usual: frozenset[str]) -> bool:
    """Whether the part says nothing but the item's title, or points at the open page and says nothing."""
    title = held_by(item.passage.title, item.passage.language)
    terms = terms_of(part, language, {}, usual)
    if any(not term.is_pale and not share_of(term, title, is_foreign=True) for term in terms):
        return False
    return item.passage.route in POINTED or _is_named(item, part)


def _is_named(item: Evidence, part: str) -> bool:
    said = f" {plain(part).strip(' ?!.')} "
    first = plain(item.passage.title).split()[:1]
    names = (*names_in_title(item.passage.title), *(first if item.passage.scope is Scope.PERSON else ()))
    return any(f" {name} " in said for name in names)


def _opening(own: Sequence[Pair], part: str, language: str, home: str, most: int) -> tuple[Pair, ...]:
    """The first sentences, in the visitor's language where there are such; a person's role before them."""
    lines = [pair for pair in own if len(pair[1].text.split()) >= LEAST_WORDS]
    sentences = [pair for pair in lines if pair[1].kind == "sentence"] or lines
    if not sentences:
        return ()
    there = [unit.language for _, unit in sentences]
    spoken = next((code for code in (language, home) if code in there), there[0])
    told = _from_section([pair for pair in sentences if pair[1].language == spoken], part)[:most]
    role = [pair for pair in lines if pair[1].text.casefold().startswith(ROLE) and pair not in told][:1]
    is_person = own[0][0].passage.scope is Scope.PERSON
    return (*map(_unlabelled, role), *told)[:most] if is_person else tuple(told)


def _from_section(sentences: Sequence[Pair], part: str) -> Sequence[Pair]:
    """From the heading that asks the same (`What this site is`), where there is one; else from the beginning."""
    said = folded_words(part)
    shared = [len(said & folded_words(unit.section.rpartition(" > ")[2])) for _, unit in sentences]
    start = shared.index(max(shared)) if max(shared) >= LEAST_SHARED_WORDS else 0
    return sentences[start:]


def _unlabelled(pair: Pair) -> Pair:
    evidence, unit = pair
    return evidence, replace(unit, text=unit.text.partition(": ")[2])


def state(part: str, want: Want, pool: Pool, language: str) -> Chosen | None:
    """`Is it finished?`: what the page says of its own state, where the part names or points at it."""
    if "state" not in want.also:
        return None
    items = {item.number: item for item, _ in pool.units}.values()
    named = (item for item in items if item.passage.route == "page" or _is_named(item, part))
    found = next((item for item in named if isinstance(item.passage.metadata.get("status"), str)), None)
    if found is None:
        return None
    text = f"Status: {found.passage.metadata['status']}"
    unit = Unit(number=found.number, place=0, block=0, text=text, kind="label", language=language)
    return Chosen(units=(_scored((found, unit)),), confidence=1.0)


def _scored(pair: Pair) -> Scored:
    evidence, unit = pair
    return Scored(unit=unit, evidence=evidence, score=1.0, coverage=1.0, own=1.0, has_shape=True)
