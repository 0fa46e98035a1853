"""
The evidence as the guard sees it: blocks cut into units (a sentence or a line), each with its facts.

Built once an answer, before the first sentence; looking up a fact is then a matter of microseconds. A unit is
*about* somebody or something where its block is, where it names them, or where the lines just before it do.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from math import log

from magpie.model import Evidence, Scope
from magpie.text.arithmetic import follows
from magpie.text.facts import NAMES, Context, Fact, Kind, context, facts, implies, known_values, plain_address
from magpie.text.names import SAME, SAME_FORMS, Word, needs_case, words_of
from magpie.text.sentences import split
from magpie.text.words import ANY_FUNCTION_WORD, content_stems, fold, guess_language, negators, visible

Phrase = tuple[str, ...]
"""Folded words in order."""

_TITLE_PART = re.compile(r"\s[-–—|]\s|[:(|]")
_HEADING = re.compile(r"^\s*(?:#|$)")
# A line with a label starts something of its own, however long the line before it is.
_LABELLED = re.compile(r"\n([^\n.:]{1,40}:\s)")
_WRAPPED = re.compile(r"(?<=[^\n.!?:;]{60})\n(?=\w)")
_MARKS = re.compile(r"[*`]|(?<!\w)_|_(?!\w)|^[ \t]*(?:#{1,6}|>)[ \t]+", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A sentence or a line of evidence. `section` counts paragraphs; `opening` is its first name-like phrase."""

    block: int
    section: int
    text: str
    facts: tuple[Fact, ...]
    around: Context
    stems: frozenset[str]
    negations: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One numbered piece of evidence. Number 0 is a value that was computed from metadata."""

    number: int
    title: str
    text: str
    scope: Scope
    language: str
    person_key: str | None = None
    url: str | None = None
    published: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """A word of the evidence: where it stands, as written, and whether it belongs to a longer name."""

    unit: int
    text: str
    joined_before: bool
    joined_after: bool


@dataclass(frozen=True, slots=True)
class Anchor:
    """Somebody or something that a sentence is about. `person` holds a key where it is a person."""

    phrases: tuple[Phrase, ...]
    person: str = ""
    lower: bool = False
    """Written without a capital, and recognised so."""
    shared: tuple[Phrase, ...] = ()
    """Parts of the name that somebody else has too: enough to be meant, not to be found by."""


@dataclass(frozen=True, slots=True)
class Kinship:
    """The scores of all units for some words; `total` is what a unit with all of them would have."""

    scores: tuple[float, ...]
    total: float
    known: frozenset[str]
    stems: frozenset[str]
    facts: int = 0

    @property
    def best(self) -> float:
        """The score of the nearest unit."""
        return max(self.scores, default=0.0)

    @property
    def nearest(self) -> int:
        """The nearest unit."""
        return max(range(len(self.scores)), key=lambda unit: self.scores[unit], default=0)

    def tells(self, share: float, least: int = 2) -> bool:
        """Do enough of the words and facts stand near each other to tell where they come from?"""
        return len(self.known) + self.facts >= least and self.best >= share * self.total

    @property
    def quotes(self) -> bool:
        """Are nearly all of the words those of one unit, in nearly these words?"""
        return len(self.known) >= 3 and self.best >= _QUOTING * self.total

    def near(self, units: Iterable[int], share: float) -> bool:
        """Is one of these units about as near as the nearest is?"""
        return max((self.scores[unit] for unit in units), default=0.0) >= share * self.best


_SAME_BLOCK = 0.7
_QUOTING = 0.75


class GuardEvidence:
    """All blocks, their units and an index of their words."""

    def __init__(self, blocks: Sequence[Block], question: str = "", question_language: str = "en") -> None:
        self.blocks = tuple(blocks)
        self.units = tuple(
            replace(unit, block=index)
            for index, block in enumerate(self.blocks)
            for unit in _units_of(replace(block, number=0))
        )
        self.question = question
        self.question_facts = facts(question, question_language)
        self.question_words = frozenset(fold(word.text) for word in words_of(question))
        self._spots: list[Spot] = []
        self._places: dict[str, list[int]] = {}
        self._initials: dict[str, list[int]] = {}
        self._with_stem: dict[str, list[int]] = {}
        for index, unit in enumerate(self.units):
            self._note(index, unit.text)
            for stem in unit.stems:
                self._with_stem.setdefault(stem, []).append(index)
        self._facts: dict[Kind, list[tuple[int, Fact]]] = {}
        for index, unit in enumerate(self.units):
            for fact in unit.facts:
                self._facts.setdefault(fact.kind, []).append((index, fact))
        self._titles = [content_stems(block.title) for block in self.blocks]

    @classmethod
    def of(
        cls,
        evidence: Sequence[Evidence],
        *,
        directs: Sequence[str] = (),
        question: str = "",
        language: str = "en",
    ) -> "GuardEvidence":
        """From the evidence that the writer sees. `directs` are computed values that may be said."""
        computed = [
            Block(number=0, title="", text=text, scope=Scope.COMPANY, language=language) for text in directs
        ]
        return cls([*map(_block, evidence), *computed], question, language)

    def unasked(self) -> "GuardEvidence":
        """The same evidence without the question, to judge the question by."""
        plain = copy(self)
        plain.question, plain.question_facts, plain.question_words = "", (), frozenset()
        return plain

    @cached_property
    def anchors(self) -> tuple[Anchor, ...]:
        """What the blocks are about: people by their keys, projects and the like by their titles."""
        return tuple({anchor: None for block in self.blocks for anchor in _anchors(block)})

    def _note(self, index: int, text: str) -> None:
        words = words_of(text)
        start = len(self._spots)
        for place, word in enumerate(words):
            self._places.setdefault(fold(word.text), []).append(start + place)
            self._spots.append(_spot(index, text, words, place))
        self._note_initials(words, start)
        self._note_pairs(words, start)
        self._spots.append(Spot(index, "\n", False, False))

    def _note_pairs(self, words: tuple[Word, ...], start: int) -> None:
        """`Tide Wise` is found as `TideWise` too."""
        for place in range(len(words) - 1):
            pair = fold(words[place].text) + fold(words[place + 1].text)
            if len(pair) > 5 and words[place].text[0].isupper():
                self._places.setdefault(pair, []).append(start + place)

    def _note_initials(self, words: tuple[Word, ...], start: int) -> None:
        for length in (3, 4, 5):
            for place in range(len(words) - length + 1):
                run = words[place : place + length]
                if all(word.text[0].isupper() for word in run):
                    self._initials.setdefault("".join(word.text[0] for word in run), []).append(start + place)

    def units_with(self, phrase: Phrase) -> frozenset[int]:
        """The units in which these words stand one after the other."""
        return frozenset(self._spots[place].unit for place in self._runs(phrase))

    def _runs(self, phrase: Phrase) -> Iterator[int]:
        for place in self._places.get(phrase[0], ()) if phrase else ():
            spots = self._spots[place : place + len(phrase)]
            if len(spots) == len(phrase) and (
                len(phrase) == 1 or all(fold(s.text) == w for s, w in zip(spots, phrase, strict=True))
            ):
                yield place

    def units_naming(self, words: tuple[str, ...]) -> frozenset[int] | None:
        """The units that hold a name, in one of its forms; None where the evidence does not know it."""
        found = self._whole(words)
        if found or len(words) == 1:
            return found
        return self._in_pieces(words)

    def _whole(self, words: tuple[str, ...]) -> frozenset[int] | None:
        if len(words) == 1 and needs_case(words[0]):
            exact = frozenset(
                self._spots[place].unit
                for place in self._runs((fold(words[0]),))
                if self._same_case(place, words[0])
            )
            return exact or self._other_forms((fold(words[0]),))
        for phrase in _forms(words):
            units = self.units_with(phrase)
            if units:
                return units
        return self._other_forms(_phrase(words)) or self._expanded(words) or self._alike(words)

    def _alike(self, words: tuple[str, ...]) -> frozenset[int] | None:
        """A place's name in another language: Valence for Valencia, Marsiglia for Marsigliese never."""
        word = fold(words[0])
        if len(words) > 1 or len(word) < 6:
            return None
        places = [
            place
            for known, places in self._places.items()
            if known != word
            and known[:-2][:5] == word[:5]
            and _common(known, word) >= max(len(known), len(word)) - 2
            for place in places
            if self._spots[place].text[0].isupper() and not self._spots[place].joined_before
        ]
        return frozenset(self._spots[place].unit for place in places) or None

    def _same_case(self, place: int, word: str) -> bool:
        return self._spots[place].text == word or self._spots[place].text == word.removesuffix("s")

    def _other_forms(self, phrase: Phrase) -> frozenset[int] | None:
        group = SAME.get(phrase)
        if group is None:
            return None
        return frozenset().union(*(self.units_with(form) for form in SAME_FORMS[group])) or None

    def _expanded(self, words: tuple[str, ...]) -> frozenset[int] | None:
        if len(words) > 1 or not words[0].isupper():
            return None
        return frozenset(self._spots[place].unit for place in self._initials.get(words[0], ())) or None

    def _in_pieces(self, words: tuple[str, ...]) -> frozenset[int] | None:
        """A run of capitals may be several names, each of them whole where it stands; half a name is none."""
        units: frozenset[int] = frozenset()
        while words:
            length, found = self._longest(words)
            if not length:
                return None
            units, words = units | found, words[length:]
        return units

    def _longest(self, words: tuple[str, ...]) -> tuple[int, frozenset[int]]:
        for length in range(len(words), 0, -1):
            found = self._whole(words[:length])
            if found and (length > 1 or self._stands_alone(words[0])):
                return length, found
        return 0, frozenset()

    def _stands_alone(self, word: str) -> bool:
        spots = [self._spots[place] for place in self._runs((fold(word),))]
        return any(not (spot.joined_before or spot.joined_after) for spot in spots)

    def _line(self, unit: int) -> Iterator[int]:
        """The unit and those before it in its section, nearest first."""
        for index in range(unit, -1, -1):
            if (
                self.units[index].block != self.units[unit].block
                or self.units[index].section != self.units[unit].section
            ):
                return
            yield index

    def is_about(self, unit: int, anchor: Anchor, others: Iterable[Anchor], *, skill: bool = False) -> bool:
        """
        Does this unit speak of the anchor?

        A person's facts come from that person's evidence, or from a line of nobody else's that names them. For a
        `skill`, an article proves nothing, and of a team's page only the person's own line counts.
        """
        block = self.blocks[self.units[unit].block]
        if anchor.person:
            return self._is_about_person(unit, block, anchor, others, skill)
        return self.titled(unit, anchor) or self._carried(unit, anchor, others)

    def always_capital(self, words: tuple[str, ...]) -> bool:
        """Does the evidence write this with a capital wherever it stands, in languages where that makes a name?"""
        phrase = _phrase(words)
        spots = [spot for place in self._runs(phrase) for spot in self._spots[place : place + len(phrase)]]
        blocks = {self.units[spot.unit].block for spot in spots}
        return (
            bool(spots)
            and all(spot.text[0].isupper() for spot in spots)
            and all(self.blocks[block].language != "de" for block in blocks)
        )

    def is_numbered(self, name: str, number: str) -> bool:
        """Does the evidence know this name with this number, `Mặn 2`?"""
        return any(self._spots[place + 1].text == number for place in self._runs((fold(name),)))

    def is_next_to(self, unit: int, other: int) -> bool:
        """Do two sentences of one paragraph follow each other?"""
        one, two = self.units[unit], self.units[other]
        return abs(unit - other) == 1 and (one.block, one.section) == (two.block, two.section)

    def counts_otherwise(self, noun: str, units: Iterable[int]) -> bool:
        """Is this noun counted in one of these units?"""
        return any(
            fact.quantity is not None and fact.quantity.noun == noun
            for unit in units
            for fact in self.units[unit].facts
        )

    def numbered_otherwise(self, name: str, number: str) -> bool:
        """Does the evidence number this name, and never so: `Mặn 2` where `Mặn 6` is said?"""
        following = {
            self._spots[place + 1].text
            for place in self._runs((fold(name),))
            if self._spots[place + 1].text.isdigit()
        }
        return bool(following) and number not in following

    def titled(self, unit: int, anchor: Anchor) -> bool:
        """Does the block's title name the anchor?"""
        title = _phrase_of(self.blocks[self.units[unit].block].title)
        return any(_contains(title, phrase) for phrase in anchor.phrases)

    def follows(self, unit: int, heads: frozenset[int]) -> bool:
        """Does the unit stand below one of these in its section, as the lines of a record below its name?"""
        return any(index in heads for index in self._line(unit))

    def _is_about_person(
        self, unit: int, block: Block, anchor: Anchor, others: Iterable[Anchor], skill: bool
    ) -> bool:
        if skill and block.scope == Scope.ARTICLE:
            return False
        if block.person_key:
            return block.person_key == anchor.person
        if block.scope == Scope.PERSON and any(
            _contains(_phrase_of(block.title), phrase) for phrase in anchor.phrases
        ):
            return True
        if skill and block.scope == Scope.TEAM:
            return _opens_with(self.units[unit].text, anchor)
        return self._carried(unit, anchor, others)

    def _carried(self, unit: int, anchor: Anchor, others: Iterable[Anchor]) -> bool:
        rest = [other for other in others if other != anchor]
        for index in self._line(unit):
            if self._names(index, anchor):
                return True
            if any(self._names(index, other) for other in rest):
                return False
        return False

    def _names(self, unit: int, anchor: Anchor) -> bool:
        return any(unit in self.units_with(phrase) for phrase in anchor.phrases)

    def units_implying(self, said: Fact) -> frozenset[int]:
        """The units of which one fact makes the said one true."""
        found = {
            index
            for kind in _PROVING.get(said.kind, (said.kind,))
            for index, fact in self._facts.get(kind, ())
            if implies(fact, said, self.units[index].around)
        }
        if said.kind == Kind.ORDINAL and said.words:
            found = self._of_same_noun(said, found)
        if said.kind == Kind.PERIOD:
            found |= {index for index, unit in enumerate(self.units) if said.normal in unit.around.units}
        return frozenset(found)

    def is_half_a_name(self, words: tuple[str, ...]) -> bool:
        """Is one of the words known as a part of a longer name, and none of the others beside it?"""
        return any(
            spot.joined_before or spot.joined_after
            for word in words
            for place in self._runs((fold(word),))
            for spot in (self._spots[place],)
            if spot.text[0].isupper()
        )

    def units_deriving(self, said: Fact, sentence: str) -> frozenset[int]:
        """The units of which two values make the said one true, by a step that the sentence names."""
        return frozenset(
            index
            for index, unit in enumerate(self.units)
            if len(unit.facts) > 0 and follows(said, sentence, unit.text, unit.facts, unit.around)
        )

    def stems_around(self, unit: int) -> frozenset[str]:
        """The words of a line, of its title and of the lines before it in its paragraph."""
        return self._titles[self.units[unit].block].union(
            *(self.units[index].stems for index in self._line(unit))
        )

    def names_besides(self, unit: int, said: str) -> bool:
        """Has the line a word with a capital, not its first, that was not said?"""
        spoken = {fold(word.text) for word in words_of(said)}
        return any(
            word.text[0].isupper() and not word.initial and fold(word.text) not in spoken
            for word in words_of(self.units[unit].text)
        )

    def pairs_otherwise(self, unit: int, one: Fact, other: Fact) -> bool:
        """Does the line put another such value beside this one, and this other value beside another?"""
        found = self.units[unit]
        return any(
            self._has_instead(found, first, second) for first, second in ((one, other), (other, one))
        ) and all(
            not self._has_beside(found, first, second) for first, second in ((one, other), (other, one))
        )

    def _has_instead(self, unit: Unit, one: Fact, other: Fact) -> bool:
        return any(
            fact.kind == other.kind and not implies(fact, other, unit.around)
            for part in _parts_with(unit, one)
            for fact in unit.facts
            if fact.text in part
        )

    def _has_beside(self, unit: Unit, one: Fact, other: Fact) -> bool:
        return any(
            implies(fact, other, unit.around)
            for part in _parts_with(unit, one)
            for fact in unit.facts
            if fact.text in part
        )

    def leads_back(self, unit: int, first: Fact, second: Fact) -> bool:
        """Does the line go from the second to the first?"""
        found = self.units[unit]
        return any(
            leads_to(found.text, one, other)
            and implies(one, second, found.around)
            and implies(other, first, found.around)
            and not implies(one, first, found.around)
            for one, other in pairwise(found.facts)
        )

    def clause_of(self, unit: int, words: str) -> tuple[str, str]:
        """The one clause of a unit that holds these words, and all its others; nothing where there is no such."""
        text = self.units[unit].text
        clauses = [clause for clause in _CLAUSE_EDGE.split(text) if clause.strip()]
        own = [clause for clause in clauses if words in clause]
        if len(own) != 1 or len(clauses) < 2:
            return "", ""
        return own[0], " ".join(clause for clause in clauses if clause is not own[0])

    def _of_same_noun(self, said: Fact, found: set[int]) -> set[int]:
        """Where floors are counted, a second floor isn't proven by a second Monday, nor Terminal III by a third."""
        known = self._facts.get(Kind.ORDINAL, ())
        same = {index for index, fact in known if fact.words == said.words}
        agreeing = {
            index for index, fact in known if fact.words == said.words and implies(fact, said, Context())
        }
        if not said.weak and not same:
            return {index for index in found if said.words[0] in self.units[index].stems}
        return found & agreeing if same else found

    def orders_otherwise(self, said: Fact) -> bool:
        """Does the evidence count places of an order, so that one it does not know is a changed one?"""
        known = [fact for _, fact in self._facts.get(Kind.ORDINAL, ())]
        if said.normal == "1":
            return any(fact.words == said.words != () for fact in known)
        return bool(known) and not set(said.words) & _UNCOUNTED

    def clauses(self, unit: int, said: Fact) -> tuple[frozenset[str], frozenset[str]]:
        """Of a unit that holds such values in several clauses: the words of the said one's, and of the others'."""
        found = self.units[unit]
        clauses = [
            (implies(fact, said, found.around), beside(found.text, fact, _CLAUSE_EDGE))
            for fact in found.facts
            if fact.kind == said.kind
        ]
        proving = {text for proves, text in clauses if proves}
        own = frozenset(stem for text in proving for stem in content_stems(text))
        others = frozenset(stem for _, text in clauses if text not in proving for stem in content_stems(text))
        return own, others

    def parts(self, unit: int, said: Fact) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
        """
        Of a unit that lists several such values: the words beside the said one, and those beside each other one.
        """
        found = self.units[unit]
        own: frozenset[str] = frozenset()
        others = []
        for fact in found.facts:
            if fact.kind == said.kind and said.kind != Kind.PERIOD:
                stems = content_stems(beside(found.text, fact)) - content_stems(fact.text)
                if implies(fact, said, found.around):
                    own |= stems
                else:
                    others.append(stems)
        return own, tuple(others)

    def kinship(self, stems: frozenset[str], facts: Sequence[frozenset[int]] = ()) -> "Kinship":
        """
        How near each unit is to these words, and to the facts that are proven by these units.

        Shared words count by rarity, those of the title half; a shared fact counts for its block's other units too.
        """
        rarity = {stem: log(2 + len(self.units) / (1 + len(self._with_stem.get(stem, ())))) for stem in stems}
        scores = [0.5 * sum(rarity[stem] for stem in stems & self._titles[unit.block]) for unit in self.units]
        for stem in stems:
            for index in self._with_stem.get(stem, ()):
                scores[index] += rarity[stem] * (
                    0.5 if stem in self._titles[self.units[index].block] else 1.0
                )
        weights = [log(2 + len(self.units) / (1 + len(units))) for units in facts]
        for units, weight in zip(facts, weights, strict=True):
            blocks = {self.units[unit].block for unit in units}
            for index, unit in enumerate(self.units):
                scores[index] += weight * (
                    1.0 if index in units else _SAME_BLOCK if unit.block in blocks else 0.0
                )
        known = frozenset(stem for stem in stems if self._with_stem.get(stem))
        return Kinship(tuple(scores), sum(rarity.values()) + sum(weights) or 1.0, known, stems, len(facts))

    def in_question(self, said: Fact) -> bool:
        """Does the visitor's question say it?"""
        if said.kind in NAMES:
            return all(fold(word) in self.question_words for word in said.words)
        return any(implies(known, said, Context()) for known in self.question_facts)


_UNCOUNTED = frozenset(("half", "time", "thing", "one", "way", "option", "choice", "hälft", "mal"))
_PART_EDGE = re.compile(
    r"[,;|/]\s|\n|(?<!\w)(?:and|e|y|et|und|en|và)(?!\w)"
    # Not within a range: "between 5 and 10".
    r"(?!(?:(?<=\d and)|(?<=\d e)|(?<=\d y)|(?<=\d et)|(?<=\d en)|(?<=\d và)|(?<=\d und))\s\d)"
)
_CLAUSE_EDGE = re.compile(
    r";\s|,?\s(?:whereas|but|enquanto|mas|mientras que|pero|tandis que|mais|aber|maar|nhưng)(?!\w)"
)


def beside(text: str, fact: Fact, edge: re.Pattern[str] = _PART_EDGE) -> str:
    """The part of a list that a fact stands in."""
    edges = [match.end() for match in edge.finditer(text)]
    start = max((edge for edge in edges if edge <= fact.start), default=0)
    end = min((edge for edge in edges if edge > fact.end), default=len(text))
    return text[start:end]


def _parts_with(unit: Unit, said: Fact) -> list[str]:
    return [
        beside(unit.text, fact)
        for fact in unit.facts
        if fact.kind == said.kind and implies(fact, said, unit.around)
    ]


_LEADS_TO = re.compile(
    r"\s*(?:[^\W\d_]+\s){0,2}?(?:to|a|para|até|hasta|à|auf|bis|naar|tot|xuống|lên|còn|đến)\s(?:[£€$¥]|R\$)?\s?(?:only\s|just\s)?",
    re.IGNORECASE,
)


def leads_to(text: str, first: Fact, second: Fact) -> bool:
    """Does the text go from one value to the other?"""
    return bool(_LEADS_TO.fullmatch(text[first.end : second.start]))


# Which kinds of known facts can prove a said one of another kind: a year is a number too, an hour an amount.
_NUMBERS = (Kind.AMOUNT, Kind.MONEY, Kind.DATE, Kind.TIME, Kind.ORDINAL)
_PROVING = {
    Kind.AMOUNT: _NUMBERS,
    Kind.MONEY: _NUMBERS,
    Kind.DATE: (Kind.DATE, Kind.AMOUNT, Kind.MONEY),
    Kind.TIME: (Kind.TIME, Kind.AMOUNT),
    Kind.ORDINAL: (Kind.ORDINAL, Kind.AMOUNT, Kind.DATE),
    Kind.PERIOD: (Kind.PERIOD, Kind.AMOUNT, Kind.MONEY),
}


def _block(evidence: Evidence) -> Block:
    passage = evidence.passage
    published = passage.published.isoformat() if passage.published else ""
    return Block(
        number=evidence.number,
        title=passage.title,
        text=evidence.text,
        scope=passage.scope,
        language=passage.language,
        person_key=passage.person_key,
        url=passage.url,
        published=published,
    )


@lru_cache(maxsize=256)
def _units_of(block: Block) -> tuple[Unit, ...]:
    """A block's units; kept, since the same chunks are found again and again."""
    return tuple(_units(0, block))


def _units(index: int, block: Block) -> Iterator[Unit]:
    lead = "\n".join(part for part in (block.title, block.published) if part)
    texts = [(0, lead)] if lead else []
    for section, text in enumerate(_sections(block.text), start=1):
        texts += [(section, sentence) for sentence in split(text) if sentence.strip()]
    languages = [guess_language(text, block.language) for _, text in texts]
    found = [known_values(text, language) for (_, text), language in zip(texts, languages, strict=True)]
    years = frozenset(
        day[0] for values in found for fact in values for day in fact.days if day[0] is not None
    )
    for (section, text), values, language in zip(texts, found, languages, strict=True):
        yield _unit(index, section, text, values, language, years)
    if block.url:
        yield _address(index, block.url)


def _sections(text: str) -> Iterator[str]:
    for section in re.split(r"\n[ \t]*\n", evidence_text(text)):
        yield _WRAPPED.sub(" ", _LABELLED.sub(r"\n\n\1", section))


def evidence_text(text: str) -> str:
    """Plain words: marks of emphasis and headings away, nothing invisible."""
    return _MARKS.sub("", visible(text))


def _unit(
    index: int, section: int, text: str, values: tuple[Fact, ...], language: str, years: frozenset[int]
) -> Unit:
    return Unit(
        block=index,
        section=section,
        text=text,
        facts=values,
        around=context(text, years),
        stems=content_stems(text),
        negations=negators(text, language),
    )


def _address(index: int, url: str) -> Unit:
    fact = Fact(kind=Kind.URL, text=url, start=0, end=len(url), normal=plain_address(url))
    return Unit(
        block=index, section=-1, text="", facts=(fact,), around=Context(), stems=frozenset(), negations=()
    )


def _spot(unit: int, text: str, words: tuple[Word, ...], place: int) -> Spot:
    return Spot(
        unit,
        words[place].text,
        place > 0 and _joined(text, words[place - 1], words[place]),
        place + 1 < len(words) and _joined(text, words[place], words[place + 1]),
    )


def _joined(text: str, before: Word, word: Word) -> bool:
    capitals = before.text[0].isupper() and word.text[0].isupper()
    return (
        capitals
        and text[before.end : word.start] in (" ", "-")
        and before.text.casefold() not in ANY_FUNCTION_WORD
    )


def _phrase(words: Iterable[str]) -> Phrase:
    return tuple(fold(word) for word in words)


def _phrase_of(text: str) -> Phrase:
    return _phrase(word.text for word in words_of(text))


def _forms(words: tuple[str, ...]) -> Iterator[Phrase]:
    """The words, without a genitive or plural s, and written as one."""
    phrase = _phrase(words)
    yield phrase
    if len(phrase[-1]) > 3 and phrase[-1].endswith("s"):
        yield (*phrase[:-1], phrase[-1][:-1])
    if len(phrase) > 1:
        yield ("".join(phrase),)
    if len(words) == 1 and "-" not in words[0] and len(phrase[0]) > 3:
        yield (phrase[0] + "s",)


def _common(one: str, other: str) -> int:
    """How many letters two words begin with alike."""
    return next(
        (place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )


def _contains(whole: Phrase, part: Phrase) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))


def _opens_with(text: str, anchor: Anchor) -> bool:
    opening = _phrase_of(text)[:6]
    return any(
        opening[start : start + len(phrase)] == phrase for phrase in anchor.phrases for start in (0, 1, 2)
    )


_SUBJECT_SCOPES = frozenset({Scope.PROJECT, Scope.PARTNER, Scope.PERSON})


def _anchors(block: Block) -> Iterator[Anchor]:
    if block.person_key:
        yield person_anchor(block.person_key, block.title if block.scope == Scope.PERSON else "")
        return
    name = _TITLE_PART.split(block.title)[0]
    phrase = _phrase_of(name)
    own = len(phrase) > 1 or block.scope in _SUBJECT_SCOPES or name.strip().islower()
    if phrase and len(phrase) <= 5 and own and block.scope != Scope.ARTICLE:
        yield Anchor((phrase,), lower=name.strip().islower())


def person_anchor(key: str, name: str = "") -> Anchor:
    """A person by key and name: the full name, or each part of it alone."""
    words = tuple(fold(part) for part in re.split(r"[-_ ]+", key) if part)
    full = _phrase_of(name) if name and len(name.split()) <= 5 else ()
    parts = [(word,) for word in words if len(word) > 2]
    return Anchor(tuple(dict.fromkeys((words, *((full,) if full else ()), *parts))), key)


__all__ = [
    "Anchor",
    "Block",
    "GuardEvidence",
    "Kinship",
    "Phrase",
    "Unit",
    "beside",
    "evidence_text",
    "leads_to",
    "person_anchor",
]
