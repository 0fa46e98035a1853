"""
Which sentences answer a part of a question, and how sure that is. Lexical, no model.

A unit counts for the question's words that it holds; less for those in its headings and its title,
for those of its neighbours, least for those elsewhere in its passage. A wanted shape (a price, a
date) that is missing counts against it; so does a low rank of its passage.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from magpie.asking.extractive.concepts import concepts_of
from magpie.asking.extractive.terms import (
    Held,
    Term,
    coverage,
    folded_words,
    held_by,
    paled,
    quoted_in,
    share_of,
    terms_of,
)
from magpie.asking.extractive.units import LABEL, Unit, in_reading_order
from magpie.asking.extractive.wants import (
    LABELS,
    SAID_BY_SHAPE,
    STACK_HEADING,
    STRICT,
    Want,
    amounts,
    asking_words,
    numbers_in,
)
from magpie.asking.routes.words import plain
from magpie.model import Evidence, Scope, SourceKey
from magpie.text.language import OURS
from magpie.text.stems import is_stop_word, key_words

OWN, SECTION, TITLE, NEAR, PASSAGE = 1.0, 0.8, 0.7, 0.45, 0.3
"""What a word of the question counts where the unit itself does not hold it."""
RANK_WEIGHT, SHAPE_WEIGHT, SHAPELESS_WEIGHT, QUOTE_WEIGHT = 0.25, 0.25, 0.30, 0.5
LABEL_WEIGHT, DEFINES_WEIGHT, PRIORITY_WEIGHT = 0.3, 0.25, 0.2
PAGE_WEIGHT = 0.2  # the page that is open, before others that say as much
FOREIGN_WEIGHT = 0.12  # of two sentences that say the same, the one in the visitor's language
STACK_WEIGHT = 0.25  # where technologies are listed, before where one is mentioned
PAGE_CONFIDENCE = 0.8
MOST_QUOTED = 3  # units
MOST_IN_A_ROW = 3  # sentences of one paragraph
BEGINS_WEIGHT = 0.1  # a page says at its beginning what it is about
LONG_STEM = 5
QUOTE_REACH = 4  # units after a quotation among which its speaker is named
LIST_REACH = 8
LEAST_MARKED = 2  # items
NAMED_WEIGHT = 0.08  # of sentences that say as much, the one that says the name itself
LISTED_LEAD = 0.15  # a list was asked for, and one is there
FAR_DOWN, FAR_DOWN_FACTOR = 4, 0.85  # the search itself thought better of others
OWN_PAGE_LEAD = 0.2  # the visitor pointed at the page, or the owner at the source
CHOSEN_BY_WORDS = frozenset({"links", "page", "forced"})  # routes that know of themselves what is meant
CONTACTS = frozenset({"email", "phone", "way"})
ARTICLE_WEIGHT, ARTICLE_FACTOR = 0.25, 0.7
"""An address in an article was right on its day: before it, those of pages; alone, less sure."""
ROW_WEIGHT = 0.3  # cells of a table make no sentence
BESIDE_THE_POINT = 0.3
SAYS_LITTLE_FACTOR = 0.6  # where the question has no word of its own that an answer could be known by
NAMELESS_FACTOR = 0.55  # where neither the unit nor its passage says a name of the question
NEAR_UNITS = (-2, -1, 1)
MOST_ITEMS = 12
LEAST_GAIN, RIVAL_GAIN, AS_GOOD, WORTH_QUOTING = 0.12, 0.3, 0.88, 0.7
_POINTS_BACK = re.compile(
    r"(?:It|They|This|That|These|Those|He|She|Both|There|Then|So|But|And|Isso|Isto|Ele|Ela|Esse|Essa|Eso|Esto|Ese|Cela|Ça"
    r"|Il|Elle|Ils|Elles|Er|Sie|Es|Das|Dies|Quello|Questo|Het|Dat|Dit|Zij|Nó|Đó|Họ)\b"
)
ALIKE = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A unit with its score; `coverage` is the share of the question that it and its place hold, 0 to 1."""

    unit: Unit
    evidence: Evidence
    score: float
    coverage: float
    own: float
    has_shape: bool
    at: int = -1
    """Its place in the pool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """
    Units to quote, in natural order; `confidence` 0 to 1 that they answer the part. `has_more`: they
    sum up a subject of which there is more to tell.
    """

    units: tuple[Scored, ...]
    confidence: float
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class Pool:
    """All units of the evidence, with what they, their headings, titles and passages hold."""

    units: tuple[tuple[Evidence, Unit], ...]
    held: tuple[Held, ...]
    sections: tuple[Held, ...]
    titles: Mapping[int, Held]
    passages: Mapping[int, Held]
    usual: frozenset[str]
    home: str
    rarity: Mapping[str, float]


def pool_of(evidence: Sequence[Evidence], site_name: str = "", home: str = "en") -> Pool:
    """Cut and counted once an answer. The site's own name tells no page from another; `home` is its language."""
    units = in_reading_order(evidence)
    held = tuple(held_by(unit.text, unit.language) for _, unit in units)
    counts = Counter(word for one in held for word in one.stems)
    return Pool(
        units=units,
        held=held,
        sections=tuple(held_by(unit.section, unit.language) for _, unit in units),
        titles={item.number: held_by(item.passage.title, item.passage.language) for item in evidence},
        passages={item.number: held_by(item.text, item.passage.language) for item in evidence},
        usual=frozenset(
            word
            for code in ("en", *{unit.language for _, unit in units})
            for word in key_words(site_name, code)
        ),
        home=home,
        rarity={word: math.log(1 + len(units) / count) for word, count in counts.items()},
    )


def terms_for(part: str, want: Want, pool: Pool, language: str) -> tuple[Term, ...]:
    """The part's words; those that only say which kind of value is wanted weigh little: the value's shape speaks for them."""
    terms = terms_of(part, language, pool.rarity, pool.usual)
    if want.kind not in SAID_BY_SHAPE:
        return terms
    asking = tuple(word for word in asking_words(want.kind, language))
    return tuple(paled(term) if _only_asks(term.stem, asking) else term for term in terms)


def _only_asks(stem: str, asking: Sequence[str]) -> bool:
    """`telefoonnummer` asks for what `telefoon` asks for."""
    return any(stem == word or (len(word) >= LONG_STEM and stem.startswith(word)) for word in asking)


def choose(
    part: str, want: Want, pool: Pool, language: str, most: int, within: SourceKey | None = None
) -> Chosen:
    """
    The best unit, and those beside it or elsewhere that say more of what is asked.

    `within` holds to one source: a part that refers to another part is answered where that one was.
    """
    terms = terms_for(part, want, pool, language)
    scored = scores(part, terms, want, pool, language)
    scored = tuple(one for one in scored if within is None or one.evidence.passage.key == within)
    if not scored:
        return Chosen(units=(), confidence=0.0)
    best = _total(_best(scored, want), scored, terms, want, pool)
    listed = _whole_list(best, scored) if "list" in want.also else []
    kept = _with_speaker(best, scored, part, want) or listed or [*_entry_of(best, scored), best]
    for other in scored:
        if len(kept) >= most:
            break
        if other not in kept and _adds(other, kept, terms, best, want, language):
            kept.append(other)
    sure = confidence(best, want, terms) + (LISTED_LEAD if _is_marked(listed) else 0.0)
    sure += OWN_PAGE_LEAD if best.evidence.passage.route in {"page", "forced"} and best.has_shape else 0.0
    return Chosen(units=_in_order(kept, best), confidence=min(1.0, sure))


def around(
    best: Scored, chosen: Chosen, part: str, want: Want, pool: Pool, language: str, most: int
) -> Chosen:
    """
    What is told around a unit that was chosen otherwise; what words chose, where that is the same. Prose is
    told with what it goes on with: half of an answer often stands in the next sentence.
    """
    terms = terms_for(part, want, pool, language)
    scored = scores(part, terms, want, pool, language)
    best = _total(best, scored, terms, want, pool)
    if any(one.at == best.at for one in chosen.units):
        kept = list(chosen.units)
    else:
        kept = [*_entry_of(best, scored), best]
        for other in scored:
            if len(kept) < most and other not in kept and _adds(other, kept, terms, best, want, language):
                kept.append(other)
    if not (want.kind and best.has_shape):
        kept += _going_on(best, kept, scored)[: max(0, min(most, MOST_IN_A_ROW) - len(kept))]
    return replace(chosen, units=_in_order(kept, best))


def _going_on(best: Scored, kept: Sequence[Scored], scored: Sequence[Scored]) -> list[Scored]:
    """The sentences that follow the best one in its paragraph, then the one before it."""
    if best.unit.kind != "sentence":
        return []
    beside = [
        s
        for s in scored
        if _same_source(s, best)
        and s.unit.block == best.unit.block
        and s.unit.kind == "sentence"
        and s.unit.language == best.unit.language
        and s.unit.place - best.unit.place in (1, 2, -1)
        and s not in kept
    ]
    return sorted(beside, key=lambda s: (s.unit.place < best.unit.place, s.unit.place))


def _best(scored: Sequence[Scored], want: Want) -> Scored:
    """The best unit; of those that hold a value of the wanted kind, where there are any."""
    return next((one for one in scored if one.has_shape), scored[0]) if want.kind in STRICT else scored[0]


_TOTAL = re.compile(
    r"\b(?:in all|altogether|in total|together|that makes|that's|all told|total|the lot|no total|ao todo|en total|au total|insgesamt|zusammen|in totale|in totaal|tổng cộng)\b",
    re.IGNORECASE,
)
LEAST_RIVALS = 1  # other lines with a price in the same list


def _total(best: Scored, scored: Sequence[Scored], terms: Sequence[Term], want: Want, pool: Pool) -> Scored:
    """The sum under a list of prices, where the question names none of its lines."""
    if want.kind != "money" or best.unit.kind not in {"item", "row"}:
        return best
    rivals = [
        s
        for s in scored
        if s.has_shape and s is not best and _same_source(s, best) and s.unit.block == best.unit.block
    ]
    title = pool.titles[best.unit.number]
    own = [term for term in terms if not share_of(term, title, is_foreign=True)]
    names_it = any(
        not term.is_pale and share_of(term, held_by(best.unit.text, best.unit.language), is_foreign=False)
        for term in own
    )
    if len(rivals) < LEAST_RIVALS or names_it:
        return best
    said = [s for s in scored if s.has_shape and _same_source(s, best) and s.unit.kind == "sentence"]
    whole = sum(amount for line in (best, *rivals) for amount in amounts(line.unit.text)[:1])
    sums = [s for s in said if whole in amounts(s.unit.text)] or [
        s for s in said if _TOTAL.search(s.unit.text)
    ]
    return sums[0] if sums else best


def scores(part: str, terms: Sequence[Term], want: Want, pool: Pool, language: str) -> tuple[Scored, ...]:
    """All units for one part of the question, best first."""
    quoted = [words for words in quoted_in(part) if _tells_apart(words, pool)]
    found = (_scored(place, terms, quoted, want, pool, language) for place in range(len(pool.units)))
    return tuple(sorted(found, key=lambda one: -one.score))


def _tells_apart(quoted: str, pool: Pool) -> bool:
    """A quotation that many sentences hold is a name, not somebody's words."""
    return sum(quoted in plain(unit.text) for _, unit in pool.units) <= MOST_QUOTED


def _scored(
    place: int, terms: Sequence[Term], quoted: Sequence[str], want: Want, pool: Pool, language: str
) -> Scored:
    evidence, unit = pool.units[place]
    is_foreign = unit.language != language
    own = [OWN * share_of(term, pool.held[place], is_foreign=is_foreign) for term in terms]
    if want.kind in LABELS and "own_cost" not in want.also and want.is_met_by(unit.text):
        implied = asking_words(want.kind, language)
        own = [OWN if term.stem in implied else share for term, share in zip(terms, own, strict=True)]
    shares = [
        max(of_own, _around(term, place, pool, is_foreign)) for term, of_own in zip(terms, own, strict=True)
    ]
    says_quote = QUOTE_WEIGHT if quoted and any(words in plain(unit.text) for words in quoted) else 0.0
    has_shape = has_value(want, evidence, unit) or (says_quote > 0 and _is_attributed(place, want, pool))
    shape = 0.0 if not want.kind else SHAPE_WEIGHT if has_shape else -SHAPELESS_WEIGHT
    missed = [term.is_name and not share for term, share in zip(terms, shares, strict=True)]
    if knows_whom(evidence) and evidence.passage.person_key:
        covered = coverage(terms, shares)
    elif knows_whom(evidence):
        asked = [(term, share) for term, share, gone in zip(terms, shares, missed, strict=True) if not gone]
        covered = coverage([term for term, _ in asked], [share for _, share in asked])
    else:
        covered = coverage(terms, shares) * (NAMELESS_FACTOR if any(missed) else 1.0)
    telling = [share for term, share in zip(terms, shares, strict=True) if not term.is_pale]
    is_beside = bool(telling) and not any(telling) and evidence.passage.route != "page"
    covered += LABEL_WEIGHT * (
        want.is_labelled_in(unit.text) or want.is_labelled_in(f"{_label_above(place, pool)}: …")
    )
    covered += STACK_WEIGHT * (
        evidence.passage.route == "technology"
        and STACK_HEADING.search(f"{unit.section} {_label_of(unit)}") is not None
    )
    covered += DEFINES_WEIGHT * ("define" in want.also and defines(unit.text, terms, unit.language))
    covered += BEGINS_WEIGHT * ("define" in want.also and evidence.passage.index == 0)
    if is_beside:
        covered = min(covered, BESIDE_THE_POINT)  # a year, but of nothing that was asked about
    owner = PRIORITY_WEIGHT * (float(evidence.passage.metadata.get("priority", 50)) - 50) / 50
    owner += NAMED_WEIGHT * any(
        share == OWN and term.is_name and not term.is_pale for term, share in zip(terms, own, strict=True)
    )
    owner += PAGE_WEIGHT * (evidence.passage.route in {"page", "forced"})
    if unit.kind == "row" and not want.kind and "list" not in want.also:
        owner -= ROW_WEIGHT
    if is_of_its_day(want, evidence):
        owner -= ARTICLE_WEIGHT
    if is_foreign:
        owner -= FOREIGN_WEIGHT * (0.5 if unit.language == pool.home else 1.0)
    return Scored(
        unit=unit,
        evidence=evidence,
        score=covered + shape + says_quote + owner + RANK_WEIGHT / evidence.number**0.7,
        coverage=min(1.0, covered + says_quote),
        own=coverage(terms, own),
        has_shape=has_shape,
        at=place,
    )


def is_of_its_day(want: Want, evidence: Evidence) -> bool:
    """Whether a way to reach somebody is asked for, and the evidence is an article."""
    return want.kind in CONTACTS and evidence.passage.scope is Scope.ARTICLE


def _label_above(place: int, pool: Pool) -> str:
    """The label whose value the unit begins: the last of its headings, where no unit before stands under it."""
    unit = pool.units[place][1]
    before = pool.units[place - 1][1].section if place else ""
    return "" if before == unit.section else unit.section.rpartition(" > ")[2]


def _label_of(unit: Unit) -> str:
    label = LABEL.match(unit.text)
    return label.group(1) if label else ""


def knows_whom(evidence: Evidence) -> bool:
    """Whether a page speaks of somebody without the name: one person's own record, or the page that is open."""
    return evidence.passage.scope is Scope.PERSON or evidence.passage.route == "page"


def _is_attributed(place: int, want: Want, pool: Pool) -> bool:
    """Whether a line soon after a quotation holds what is wanted of it: whose it is."""
    source = pool.units[place][0].passage.key
    after = pool.units[place + 1 : place + 1 + QUOTE_REACH]
    return any(item.passage.key == source and want.is_met_by(unit.text) for item, unit in after)


def has_value(want: Want, evidence: Evidence, unit: Unit) -> bool:
    """Whether the unit holds a value of the kind. A person's own page need not name the person again."""
    if want.kind == "person" and evidence.passage.scope is Scope.PERSON:
        return True
    if want.kind == "employer" and evidence.passage.scope is Scope.PERSON and _ENTRY.search(unit.text):
        return True
    if want.kind == "stack" and STACK_HEADING.search(unit.section):
        return True
    if want.kind == "count" and _ONLY_YEARS.fullmatch(unit.text):
        return False  # `Year start: 2021` counts nothing
    if want.counted and unit.kind == "sentence" and not _counts(want, unit):
        return False
    return want.is_met_by(f"{unit.text} {unit.link}")


_ONLY_YEARS = re.compile(r"\D*(?:\b(?:19|20)\d\d(?:-\d\d){0,2}\b\D*)+")


def _counts(want: Want, unit: Unit) -> bool:
    """
    Whether a number of the sentence may be that of what was asked for: it stands before that word, or
    before no thing at all. `Twenty minutes away` counts no people.
    """
    asked = {word for code in OURS for word in key_words(want.counted, code)}
    ideas = {
        idea for code in OURS for word in key_words(want.counted, code) for idea in concepts_of(word, code)
    }
    return any(_is_counted(after, asked, ideas, unit.language) for _, after in numbers_in(unit.text))


def _is_counted(after: str, asked: AbstractSet[str], ideas: AbstractSet[int], language: str) -> bool:
    words = after.split()
    if not words or is_stop_word(words[0], language):
        return True  # `thirteen are running`
    held = held_by(after, language)
    return bool(asked & held.stems or ideas & held.ideas)


_DEFINES = re.compile(
    r"\b(?:is|are|was|were|means|stands for|refers to|short for|é|são|foi|significa|es|son|fue|est|sont|était|ist|sind|war|bedeutet|è|sono|era"
    r"|is een|betekent|là|nghĩa là)\b|\s[–—]\s|:\s",
    re.IGNORECASE,
)
DEFINED_WITHIN = 32  # characters between the thing and the word that says what it is


def defines(text: str, terms: Sequence[Term], language: str) -> bool:
    """Whether a sentence says what something of the question is: the thing stands just before `is`."""
    things = [term for term in terms if not term.is_pale or term.is_name]
    if all(term.is_pale for term in terms):
        things = list(terms)  # `What does the name mean?`
    before = (
        text[max(0, match.start() - DEFINED_WITHIN) : match.start()] for match in _DEFINES.finditer(text)
    )
    subjects = [held_by(_OWNED.sub(" ", words), language) for words in before]
    return any(share_of(thing, held, is_foreign=True) for thing in things for held in subjects)


_OWNED = re.compile(r"\w+['’]s\b")  # `18F's contractors are` says nothing of 18F


def _around(term: Term, place: int, pool: Pool, is_foreign: bool) -> float:
    """What a term counts that stands in the headings, the title, beside or elsewhere in the passage."""
    number = pool.units[place][1].number
    near = max(
        (share_of(term, pool.held[other], is_foreign=is_foreign) for other in _near(place, pool)), default=0.0
    )
    return max(
        SECTION * share_of(term, pool.sections[place], is_foreign=is_foreign),
        TITLE * share_of(term, pool.titles[number], is_foreign=is_foreign),
        NEAR * near,
        PASSAGE * share_of(term, pool.passages[number], is_foreign=is_foreign),
    )


def standing_shares(term: Term, one: Scored, pool: Pool, *, is_foreign: bool) -> tuple[float, float]:
    """How well a unit holds a term, and how well its headings, its title or its neighbours do."""
    number = one.unit.number
    places = (*_near(one.at, pool),)
    around = (pool.sections[one.at], pool.titles[number], *(pool.held[place] for place in places))
    own = share_of(term, pool.held[one.at], is_foreign=is_foreign)
    return own, max(share_of(term, held, is_foreign=is_foreign) for held in around)


def _near(place: int, pool: Pool) -> Iterable[int]:
    source = pool.units[place][0].passage.key
    for other in (place + step for step in NEAR_UNITS):
        if 0 <= other < len(pool.units) and pool.units[other][0].passage.key == source:
            yield other


def _with_speaker(best: Scored, scored: Sequence[Scored], part: str, want: Want) -> list[Scored]:
    """A quotation with the line after it that says whose it is."""
    if want.kind != "person" or not any(words in plain(best.unit.text) for words in quoted_in(part)):
        return []
    after = [s for s in scored if _same_source(s, best) and 0 < s.unit.place - best.unit.place <= QUOTE_REACH]
    named = sorted((s for s in after if want.is_met_by(s.unit.text)), key=lambda s: s.unit.place)
    return [best, *named[:1]]


_ENTRY = re.compile(r"\b(?:19|20)\d\d\b.{0,12}$")
ENTRY_REACH, ENTRY_WORDS = 8, 10


def _entry_of(best: Scored, scored: Sequence[Scored]) -> list[Scored]:
    """In a person's record, the line with the years that what was done stands under: `Granary, 2014 to 2020.`"""
    if best.evidence.passage.scope is not Scope.PERSON or _ENTRY.search(best.unit.text):
        return []
    before = [
        s for s in scored if _same_source(s, best) and 0 < best.unit.place - s.unit.place <= ENTRY_REACH
    ]
    dated = [s for s in before if len(s.unit.text.split()) <= ENTRY_WORDS and _ENTRY.search(s.unit.text)]
    return [max(dated, key=lambda s: s.unit.place)] if dated else []


def _whole_list(best: Scored, scored: Sequence[Scored]) -> list[Scored]:
    """All items of the list that the best unit stands in or introduces."""
    same = [s for s in scored if _same_source(s, best) and s.unit.section in {best.unit.section, ""}]
    items = [s for s in same if s.unit.kind in {"item", "row"} and abs(s.unit.block - best.unit.block) <= 1]
    if len(items) < LEAST_MARKED:
        return _announced(best, same)
    first = min(item.unit.place for item in items)
    intro = sorted(
        (s for s in same if s.unit.kind == "sentence" and s.unit.place < first), key=lambda s: s.unit.place
    )[-1:]
    chosen = {
        s.unit.place: s for s in (*intro, best, *sorted(items, key=lambda s: s.unit.place)[:MOST_ITEMS])
    }
    return list(chosen.values())


def _is_marked(listed: Sequence[Scored]) -> bool:
    """Whether it is a list that the page itself marks as one, not what happens to follow a colon."""
    return sum(one.unit.kind in {"item", "row"} for one in listed) >= LEAST_MARKED


def _announced(best: Scored, same: Sequence[Scored]) -> list[Scored]:
    """What follows a line that ends with a colon, where it is no marked list."""
    if not best.unit.text.endswith(":"):
        return []
    after = sorted((s for s in same if s.unit.place > best.unit.place), key=lambda s: s.unit.place)
    return [best, *after[:LIST_REACH]] if after else []


def _adds(
    other: Scored, kept: Sequence[Scored], terms: Sequence[Term], best: Scored, want: Want, language: str
) -> bool:
    """Whether a unit is worth the visitor's time beside those that are kept."""
    if other.unit.language != best.unit.language or any(
        _alike(other.unit.text, one.unit.text) for one in kept
    ):
        return False
    steps = other.unit.place - best.unit.place if _same_source(other, best) else 0
    is_read_on = other.unit.kind == "sentence" and other.unit.block == best.unit.block and 0 < steps <= 2
    if steps == -1 and _points_back(best.unit.text):
        return other.unit.block == best.unit.block and other.unit.kind == "sentence"
    if other.score < (0.5 if abs(steps) in {1, 2} else 0.65) * best.score:
        return False
    if abs(steps) not in {1, 2} and _lacks_a_name(other, best, terms, language):
        return False
    gain = _gain(other, kept, terms, language) if other.coverage >= WORTH_QUOTING * best.coverage else 0.0
    if want.kind and best.has_shape:
        return _adds_to_value(other, best, gain, want, is_read_on=is_read_on)
    return is_read_on or gain >= LEAST_GAIN or (other.score >= AS_GOOD * best.score and other.own >= best.own)


def _lacks_a_name(other: Scored, best: Scored, terms: Sequence[Term], language: str) -> bool:
    """Whether a unit elsewhere does not say a name of the question that the best one says."""
    here, there = (held_by(one.unit.text, one.unit.language) for one in (best, other))
    names = [term for term in terms if term.is_name and not term.is_pale]
    return any(
        share_of(name, here, is_foreign=_is_foreign(best, language))
        and not share_of(name, there, is_foreign=_is_foreign(other, language))
        for name in names
    )


def _adds_to_value(other: Scored, best: Scored, gain: float, want: Want, *, is_read_on: bool) -> bool:
    """One value was asked for: another one beside it would leave the visitor to choose."""
    if not want.is_met_by(other.unit.text):
        return is_read_on or (gain >= LEAST_GAIN and _same_source(other, best))
    return other.unit.kind == "sentence" and gain >= RIVAL_GAIN


def _points_back(text: str) -> bool:
    """Whether a sentence opens with a word for what was said before it."""
    return _POINTS_BACK.match(text) is not None


def _gain(other: Scored, kept: Sequence[Scored], terms: Sequence[Term], language: str) -> float:
    """The share of the question that the unit says and none of the others."""

    def shares(one: Scored) -> list[float]:
        title = one.evidence.passage.title if one.unit.kind == "label" else ""  # told with it
        held = held_by(f"{title} {one.unit.text}", one.unit.language)
        return [share_of(term, held, is_foreign=_is_foreign(one, language)) for term in terms]

    said = [max(column) for column in zip(*(shares(one) for one in kept), strict=True)]
    return coverage(terms, [max(0.0, new - old) for new, old in zip(shares(other), said, strict=True)])


def _same_source(one: Scored, other: Scored) -> bool:
    return one.evidence.passage.key == other.evidence.passage.key


def _alike(one: str, other: str) -> bool:
    a, b = folded_words(one), folded_words(other)
    return len(a & b) >= ALIKE * min(len(a), len(b))


def _in_order(kept: Sequence[Scored], best: Scored) -> tuple[Scored, ...]:
    """The best unit's source first, then the others by rank; within one as it stands there."""
    return tuple(
        sorted(
            kept,
            key=lambda s: (
                not _same_source(s, best),
                s.unit.number if not _same_source(s, best) else 0,
                s.unit.place,
            ),
        )
    )


def leaning(first: Chosen, own: Chosen, part: str, want: Want, pool: Pool, language: str) -> Chosen:
    """
    The choice for a part that leans on the first: as sure as that one, less where its own words are not found.
    """
    terms = [term for term in terms_of(part, language, pool.rarity, pool.usual) if not term.is_pale]
    if not own.units:
        return own
    best = max(own.units, key=lambda one: one.score)
    found = _found_by(best, terms, language) if terms else 1.0
    if want.kind and best.has_shape:
        found = max(found, 0.5)
    shape = 1.0 if best.has_shape else 0.45
    return replace(own, confidence=first.confidence * shape * (0.35 + 0.65 * found))


def _found_by(one: Scored, terms: Sequence[Term], language: str) -> float:
    """The share of the terms that a unit holds, its headings included."""
    held = _held(one)
    return coverage(terms, [share_of(term, held, is_foreign=_is_foreign(one, language)) for term in terms])


def _held(one: Scored) -> Held:
    return held_by(f"{one.unit.section} {one.unit.text}", one.unit.language)


def _is_foreign(one: Scored, language: str) -> bool:
    return one.unit.language != language


def confidence(best: Scored, want: Want, terms: Sequence[Term]) -> float:
    """How likely the best unit answers."""
    shape = 1.0 if best.has_shape else 0.45
    lead = 0.1 if best.unit.number == 1 else 0.05 if best.unit.number == 2 else 0.0
    if (
        best.evidence.passage.route == "page"
        and want.kind
        and best.has_shape
        and all(term.is_pale for term in terms)
    ):
        return PAGE_CONFIDENCE  # `How much was it?` on a page that gives a price
    is_meant = best.has_shape and best.evidence.passage.route in CHOSEN_BY_WORDS
    says_little = (
        all(term.is_pale for term in terms)
        and not is_meant
        and not defines(best.unit.text, terms, best.unit.language)
    )
    rank = FAR_DOWN_FACTOR if best.unit.number > FAR_DOWN else 1.0
    rank *= ARTICLE_FACTOR if is_of_its_day(want, best.evidence) else 1.0
    return min(1.0, (best.coverage + lead) * shape * rank * (SAYS_LITTLE_FACTOR if says_little else 1.0))
