"""
The guard: a writer's stream in, verdicts on whole sentences out.

A sentence is released when each of its hard facts stands in the evidence, of the right person and the right
subject, and is not turned round. What is held can be repaired once by the caller, replaced by `quotation`, or
dropped. Pure: no input, no output, no clock, and the same verdicts wherever the stream was cut.

Admits: it knows facts, not meaning. A sentence without a fact passes, unless it denies what the evidence says in
nearly the same words, says yes to a question that brought its own facts, or shares hardly a word with it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise

from magpie.asking.support import (
    Anchor,
    GuardEvidence,
    Kinship,
    Phrase,
    Unit,
    beside,
    evidence_text,
    leads_to,
    person_anchor,
)
from magpie.model import Scope
from magpie.text.facts import NAMES, VALUES, Fact, Kind, facts, implies, plain_address
from magpie.text.names import AMBIGUOUS_TECHNOLOGIES, Word, words_of
from magpie.text.sentences import LONGEST, Sentences
from magpie.text.turns import (
    denies_other,
    is_affirmation,
    is_delivery,
    says_free,
    says_no,
    starts_with_pronoun,
    turns_direction,
)
from magpie.text.words import (
    ANY_FUNCTION_WORD,
    GENERIC_STEMS,
    content_stems,
    fold,
    guess_language,
    negators,
    says_nothing,
    visible,
)

CITATION = re.compile(r"[ \t]*\[(\d{1,3})\](?!\()")
LINK = re.compile(r"\[\[link:\d{1,4}\]\]")


class Reason(StrEnum):
    """Why a sentence is held."""

    UNSUPPORTED = "unsupported"
    ONLY_IN_QUESTION = "only_in_question"
    ANOTHER_SUBJECT = "another_subject"
    CHANGED_SUBJECT = "changed_subject"
    NEGATION = "negation"
    DIRECTION = "direction"
    AFFIRMS_QUESTION = "affirms_question"
    ARTICLE_ONLY = "article_only"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """
    A sentence that may go out, with the white space after it and without its citation tokens.

    `supports` are the numbers of the evidence that proves it, best first; `cited` those that the writer named
    and that exist.
    """

    text: str
    supports: tuple[int, ...] = ()
    cited: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A sentence that may not go out as it is; `unsupported` are the facts that nothing proves."""

    sentence: str
    unsupported: tuple[Fact, ...]
    reason: Reason


Verdict = Released | Held


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRules:
    """
    What a site lets pass, and whom it knows.

    `own_names`: the company and the assistant, of whom any page may speak. `names`: what the site knows by name,
    so that a name out of place is seen in any case and language; `people`: (key, name). `known`: addresses,
    numbers, and e-mails of the site file that may be told. `fixed`: our own sentences, which assert nothing.
    """

    own_names: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    people: tuple[tuple[str, str], ...] = ()
    known: tuple[str, ...] = ()
    fixed: frozenset[str] = frozenset()
    language: str = "en"
    longest: int = LONGEST


@dataclass(frozen=True, slots=True)
class _Found:
    """A fact of the sentence and the units that prove it."""

    fact: Fact
    units: frozenset[int]
    derived: bool = False


@dataclass(frozen=True, slots=True)
class _Mention:
    """An anchor where the sentence names it."""

    anchor: Anchor
    start: int
    end: int


@dataclass(slots=True)
class _Reading:
    """A sentence, read: its plain words, facts, anchors, and what is left to find out."""

    plain: str
    language: str
    facts: tuple[Fact, ...]
    mentions: tuple[_Mention, ...]
    inherited: tuple[Anchor, ...]
    stems: frozenset[str]
    own_stems: frozenset[str]
    """Those of the words that are neither facts nor subjects: they tell where the sentence comes from."""
    found: list[_Found] = field(default_factory=list)

    @property
    def names(self) -> list[_Found]:
        """The names that count."""
        return [found for found in self.found if found.fact.kind in NAMES and not found.fact.weak]

    @property
    def values(self) -> list[_Found]:
        return [found for found in self.found if found.fact.kind in VALUES]


class Guard:
    """
    One answer's guard. `feed` what the writer writes, then `finish`; verdicts come in order.

    Holds at most one sentence, and never more than `rules.longest` characters.
    """

    def __init__(self, evidence: GuardEvidence, rules: GuardRules = GuardRules()) -> None:
        self._evidence = evidence
        self._rules = rules
        self._sentences = Sentences(rules.longest)
        self._check = _Check(evidence, rules)

    def feed(self, text: str) -> tuple[Verdict, ...]:
        """Verdicts on the sentences that this text completes."""
        return self._verdicts(self._sentences.feed(visible(text)))

    def finish(self) -> tuple[Verdict, ...]:
        """The verdict on what is left, if anything is."""
        return self._verdicts(self._sentences.finish())

    def _verdicts(self, sentences: Iterable[str]) -> tuple[Verdict, ...]:
        return tuple(self._check.verdict(sentence) for sentence in sentences)


def judge(sentence: str, evidence: GuardEvidence, rules: GuardRules = GuardRules()) -> Verdict:
    """The verdict on one sentence by itself, for instance on a repaired one."""
    return _Check(evidence, rules).verdict(visible(sentence))


class _Check:
    """Judges sentence after sentence; remembers only whom the last ones were about."""

    def __init__(self, evidence: GuardEvidence, rules: GuardRules) -> None:
        self._evidence = evidence
        self._rules = rules
        self._own = frozenset(_phrase(name) for name in rules.own_names)
        self._own_words = frozenset(word for phrase in self._own for word in phrase)
        self._known = frozenset(
            form
            for known in rules.known
            for form in (known.casefold(), plain_address(known), _digits(known))
            if form
        )
        self._names = _by_first_word(
            (*(_phrase(name) for name in rules.names), *(_phrase(name) for _, name in rules.people))
        )
        self._anchors = _unique(
            (
                *evidence.anchors,
                *(person_anchor(key, name) for key, name in rules.people),
                *(Anchor((phrase,)) for phrase in map(_phrase, rules.names) if phrase),
            ),
            self._own,
        )
        self._languages = {str(block.language) for block in evidence.blocks}
        self._known_stems = frozenset(stem for unit in evidence.units for stem in unit.stems)
        self._last: tuple[Anchor, ...] = ()
        self._lead: tuple[Anchor, ...] = ()

    def verdict(self, sentence: str) -> Verdict:
        cited = tuple(dict.fromkeys(int(number) for number in CITATION.findall(sentence)))
        text = CITATION.sub("", sentence)
        released = Released(text=text, cited=tuple(number for number in cited if self._exists(number)))
        if text.strip() in self._rules.fixed or not any(char.isalnum() for char in text):
            return released
        return self._judged(text, released)

    def _exists(self, number: int) -> bool:
        return any(block.number == number for block in self._evidence.blocks if number)

    def _judged(self, text: str, released: Released) -> Verdict:
        reading = self._read(text)
        missing = self._look_up(reading)
        self._remember(reading)
        if missing:
            asked = all(self._evidence.in_question(fact) for fact in missing)
            return Held(
                sentence=text,
                unsupported=missing,
                reason=Reason.ONLY_IN_QUESTION if asked else Reason.UNSUPPORTED,
            )
        return self._weighed(text, reading, released)

    # --- Reading ---

    def _read(self, text: str) -> _Reading:
        plain = unicodedata.normalize("NFC", evidence_text(LINK.sub(" ", text)))
        language = guess_language(plain, self._rules.language)
        words = words_of(plain)
        mentions = self._mentions(plain, words)
        found = [fact for fact in facts(plain, language) if not self._is_own(fact)]
        found += self._strangers(plain, words, found)
        return _Reading(
            plain,
            language,
            tuple(found),
            mentions,
            self._inherited(plain, mentions),
            content_stems(plain),
            _own_stems(plain, found, mentions),
        )

    def _is_own(self, fact: Fact) -> bool:
        if fact.kind in NAMES:
            phrase = tuple(fold(word) for word in fact.words)
            return phrase in self._own or all(word in self._own_words for word in phrase)
        return fact.kind in (Kind.URL, Kind.EMAIL, Kind.PHONE) and fact.normal in self._known

    def _strangers(self, plain: str, words: tuple[Word, ...], found: list[Fact]) -> list[Fact]:
        """Names that the site knows and the sentence uses, in whatever case."""
        taken = [(fact.start, fact.end) for fact in found if fact.kind in NAMES and not fact.weak]
        spotted = []
        for place, word in enumerate(words):
            for phrase in self._names.get(fold(word.text), ()):
                run = words[place : place + len(phrase)]
                if (
                    _is_name_here(run, phrase)
                    and not any(start <= word.start < end for start, end in taken)
                    and phrase not in self._own
                ):
                    spotted.append(_named(plain, run))
        return spotted

    def _mentions(self, plain: str, words: tuple[Word, ...]) -> tuple[_Mention, ...]:
        found = [mention for anchor in self._anchors for mention in _mentions_of(anchor, words)]
        found.sort(key=lambda mention: (mention.start, -mention.end))
        kept: list[_Mention] = []
        for mention in found:
            if not any(other.start <= mention.start and mention.end < other.end for other in kept):
                kept.append(mention)
        return tuple(kept)

    def _inherited(self, plain: str, mentions: tuple[_Mention, ...]) -> tuple[Anchor, ...]:
        if mentions:
            return ()
        if _is_item(plain):
            return self._lead
        kind = starts_with_pronoun(plain)
        if kind == "person":
            return tuple(anchor for anchor in self._last if anchor.person)
        return self._last if kind else ()

    def _remember(self, reading: _Reading) -> None:
        anchors = tuple(dict.fromkeys(mention.anchor for mention in reading.mentions))
        if anchors:
            self._last = anchors
        if not _is_item(reading.plain):
            self._lead = self._last if reading.plain.rstrip().endswith(":") else ()

    # --- Looking up ---

    def _look_up(self, reading: _Reading) -> tuple[Fact, ...]:
        """Find what proves each fact; the facts that nothing proves are returned."""
        missing = []
        for fact in reading.facts:
            units = self._units_for(fact, reading)
            strange = (fact.kind == Kind.ORDINAL and self._evidence.orders_otherwise(fact)) or (
                fact.kind == Kind.NAME and len(fact.words) > 1 and self._evidence.is_half_a_name(fact.words)
            )
            if (units is None and (strange or not fact.weak)) or self._misnumbers(fact, reading):
                missing.append(fact)
            elif units is not None and not self._is_number_of_name(fact, reading):
                named = fact.weak and reading.language == "de" and self._evidence.always_capital(fact.words)
                derived = (
                    bool(units) and fact.quantity is not None and not self._evidence.units_implying(fact)
                )
                reading.found.append(_Found(replace(fact, weak=False) if named else fact, units, derived))
        return tuple(missing)

    def _is_number_of_name(self, fact: Fact, reading: _Reading) -> bool:
        """The 2 of `Mặn 2` counts nothing."""
        name = _name_before(fact, reading)
        return name is not None and self._evidence.is_numbered(name.text, fact.text.split()[0])

    def _misnumbers(self, fact: Fact, reading: _Reading) -> bool:
        """`Mặn 6` where the evidence has only a `Mặn 2`."""
        name = _name_before(fact, reading)
        return name is not None and self._evidence.numbered_otherwise(name.text, fact.text.split()[0])

    def _units_for(self, fact: Fact, reading: _Reading) -> frozenset[int] | None:
        if fact.kind in NAMES:
            return self._evidence.units_naming(fact.words)
        units = self._evidence.units_implying(fact) or self._deriving(fact, reading)
        return units or (frozenset() if _counts_itself(fact, reading.plain) else None)

    def _deriving(self, fact: Fact, reading: _Reading) -> frozenset[int]:
        """Only from lines that the sentence speaks of, by another fact or by two of its words."""
        proving = frozenset(unit for found in reading.found for unit in found.units)
        return frozenset(
            unit
            for unit in self._evidence.units_deriving(fact, reading.plain)
            if unit in proving or len(reading.own_stems & self._evidence.stems_around(unit)) >= _TWO
        )

    # --- Weighing ---

    def _weighed(self, text: str, reading: _Reading, released: Released) -> Verdict:
        for check in (
            self._another_subject,
            self._article_only,
            self._affirmed,
            self._changed_subject,
            self._turned,
            self._unrelated,
        ):
            held = check(reading)
            if held:
                return Held(sentence=text, unsupported=held[1], reason=held[0])
        return replace(released, supports=self._supports(reading))

    def _another_subject(self, reading: _Reading) -> tuple[Reason, tuple[Fact, ...]] | None:
        if self._tells_of_another(reading):
            named = [fact for fact in reading.facts if fact.kind in NAMES and not fact.weak]
            return Reason.ANOTHER_SUBJECT, tuple(named)
        apart = self._apart(reading)
        if apart:
            return Reason.ANOTHER_SUBJECT, apart
        wrong = tuple(
            found.fact
            for found in tuple(reading.found)
            if not found.fact.weak
            and (not self._fits(found, reading) or self._is_of_other_name(found, reading))
        )
        return (Reason.ANOTHER_SUBJECT, wrong) if wrong else None

    def _apart(self, reading: _Reading) -> tuple[Fact, ...]:
        """A person and something else in one sentence, of which the evidence never speaks together."""
        anchors = tuple(dict.fromkeys(mention.anchor for mention in reading.mentions))
        people = [anchor for anchor in anchors if anchor.person]
        if not people or len(anchors) < 2 or len(anchors) > 3:
            return ()
        others = [anchor for anchor in anchors if anchor is not people[0]]
        lonely = [other for other in others if not self._meet(people[0], other)]
        return tuple(
            name.fact for name in reading.names if any(_names_it(name.fact, other) for other in lonely)
        ) or tuple(name.fact for name in reading.names if lonely)

    def _meet(self, one: Anchor, other: Anchor) -> bool:
        return any(
            self._evidence.is_about(unit, second, self._anchors)
            for first, second in ((one, other), (other, one))
            for phrase in (*first.phrases, *first.shared)
            for unit in self._evidence.units_with(phrase)
        )

    def _tells_of_another(self, reading: _Reading) -> bool:
        """Do the words come from another person's page, and from nothing of the person they are said of?"""
        people = {mention.anchor for mention in reading.mentions} or set(reading.inherited)
        kinship = self._evidence.kinship(reading.own_stems)
        if len(people) != 1 or not (person := next(iter(people))).person or not kinship.tells(_RELATED):
            return False
        nearest = max(range(len(kinship.scores)), key=lambda index: kinship.scores[index])
        key = self._evidence.blocks[self.block_of(nearest)].person_key
        own = [
            unit
            for unit in range(len(kinship.scores))
            if self._evidence.is_about(unit, person, self._anchors)
        ]
        return key not in (None, person.person) and not kinship.near(own, _NEARLY_AS_NEAR)

    def _fits(self, found: _Found, reading: _Reading) -> bool:
        """Is the fact proven of whom the sentence says it? Narrows the units to those that do."""
        anchors = self._anchors_for(found.fact, reading)
        if not anchors or not found.units or any(_names_it(found.fact, anchor) for anchor in anchors):
            return True
        skill = found.fact.kind == Kind.TERM
        about = frozenset(
            unit
            for unit in found.units
            if any(self._evidence.is_about(unit, anchor, self._anchors, skill=skill) for anchor in anchors)
        )
        if about:
            reading.found[reading.found.index(found)] = _Found(found.fact, about)
            return True
        return found.fact.kind == Kind.NAME and self._stand_together(found, anchors)

    def _is_of_other_name(self, found: _Found, reading: _Reading) -> bool:
        """Has a name beside the value values of its own in the evidence, and not this one?"""
        if found.fact.kind not in VALUES or not found.units:
            return False
        names = _nearest_names(reading, found.fact)
        return any(self._owns_another(name, found) for name in names) and not any(
            self._owns(name, found) for name in names
        )

    def _owns(self, name: _Found, found: _Found) -> bool:
        anchor = Anchor((tuple(fold(word) for word in name.fact.words),))
        heads = frozenset(unit for unit in name.units if not self._has_rival(unit, found))
        return any(
            unit in name.units or self._evidence.follows(unit, heads) or self._evidence.titled(unit, anchor)
            for unit in found.units
        )

    def _owns_another(self, name: _Found, found: _Found) -> bool:
        return any(self._has_rival(unit, found) for unit in name.units)

    def _has_rival(self, unit: int, found: _Found) -> bool:
        return any(_is_rival(fact, found.fact) for fact in self._evidence.units[unit].facts)

    def _anchors_for(self, fact: Fact, reading: _Reading) -> tuple[Anchor, ...]:
        mentions = [
            mention for mention in reading.mentions if not (mention.start <= fact.start < mention.end)
        ]
        if fact.kind in NAMES and len(mentions) < len(reading.mentions):
            return ()
        if not mentions:
            return reading.inherited
        clause = _clause(
            reading.plain, [f for f in reading.facts if f.kind in VALUES], reading.mentions, fact
        )
        chosen = [mention for mention in mentions if clause[0] <= mention.start < clause[1]] or mentions
        near = [
            mention
            for mention in chosen
            if mention.start < fact.start or not _RELATIVE.search(reading.plain[fact.end : mention.start])
        ]
        return _strict(reading.plain, tuple(near), fact) if near else ()

    def _stand_together(self, found: _Found, anchors: tuple[Anchor, ...]) -> bool:
        """The named thing's own page names the subject, though not on somebody else's page."""
        name = Anchor((tuple(fold(word) for word in found.fact.words),))
        return any(
            self._evidence.titled(unit, name) and self._may_speak_of(self.block_of(unit), anchor)
            for anchor in anchors
            for phrase in anchor.phrases
            for unit in self._evidence.units_with(phrase)
        )

    def _may_speak_of(self, block: int, anchor: Anchor) -> bool:
        key = self._evidence.blocks[block].person_key
        return not anchor.person or key is None or key == anchor.person

    def _article_only(self, reading: _Reading) -> tuple[Reason, tuple[Fact, ...]] | None:
        """An article shows what is known, not what was delivered."""
        named = [found for found in reading.found if found.units and found.fact.kind in NAMES]
        if not named or not is_delivery(reading.plain):
            return None
        scopes = {
            self._evidence.blocks[self._evidence.units[unit].block].scope
            for found in named
            for unit in found.units
        }
        return (
            (Reason.ARTICLE_ONLY, tuple(found.fact for found in named)) if scopes == {Scope.ARTICLE} else None
        )

    def _affirmed(self, reading: _Reading) -> tuple[Reason, tuple[Fact, ...]] | None:
        """ "Yes" to a question whose facts nothing proves says those facts."""
        if not is_affirmation(reading.plain) or reading.values or not self._evidence.question_facts:
            return None
        asked = _Check(self._evidence.unasked(), self._rules).verdict(self._evidence.question)
        if isinstance(asked, Released) or asked.reason == Reason.NEGATION:
            return None
        return Reason.AFFIRMS_QUESTION, asked.unsupported

    def _changed_subject(self, reading: _Reading) -> tuple[Reason, tuple[Fact, ...]] | None:
        """A value comes from where the words and values around it come from, not from elsewhere in the evidence."""
        wrong = [found.fact for found in reading.values if found.units and self._is_displaced(found, reading)]
        wrong += [
            found.fact for found in reading.names if found.units and self._is_strange_here(found, reading)
        ]
        wrong += [found.fact for found in reading.names if found.units and self._is_put_in(found, reading)]
        if self._evidence.kinship(reading.own_stems).quotes:
            wrong += _unknown_subjects(reading)
        return (Reason.CHANGED_SUBJECT, tuple(wrong)) if wrong else None

    def _is_strange_here(self, name: _Found, reading: _Reading) -> bool:
        """A name from another page than the words, in a near quotation, or than all of the values."""
        own = self._same_blocks(name.units)
        kinship = self._evidence.kinship(reading.own_stems)
        if kinship.quotes and not kinship.near(own, _NEAR):
            return True
        values = [found.units for found in reading.values if found.units]
        return bool(values) and not reading.mentions and all(own.isdisjoint(units) for units in values)

    def _is_put_in(self, name: _Found, reading: _Reading) -> bool:
        """Is all but this name one line's, which has another name instead: "SSO is part of Pro", not Enterprise?"""
        own = content_stems(name.fact.text)
        rest = reading.stems - own
        if name.units and all(self._is_of_other_clause(unit, name, rest) for unit in name.units):
            return True
        others = [other for other in (*reading.names, *reading.values) if other is not name and other.units]
        if len(rest) < 2 or not own or not others:
            return False
        lines = [
            index
            for index, unit in enumerate(self._evidence.units)
            if rest <= unit.stems
            and len(unit.stems) <= _LINE
            and all(index in other.units for other in others)
        ]
        return bool(lines) and all(
            index not in name.units
            and not own & self._evidence.stems_around(index)
            and self._evidence.names_besides(index, reading.plain)
            for index in lines
        )

    def _is_of_other_clause(self, unit: int, name: _Found, said: frozenset[str]) -> bool:
        """ "Daniel leads the family team" where Sunita does, and after a semicolon Daniel something else."""
        written = self._evidence.clause_of(unit, name.fact.text)
        if not any(word.text[0].isupper() and not word.initial for word in words_of(written[1])):
            return False
        clause, elsewhere = map(content_stems, written)
        own = clause - elsewhere - content_stems(name.fact.text)
        return bool(said & elsewhere - clause) and bool(own) and not said & own

    def _is_displaced(self, found: _Found, reading: _Reading) -> bool:
        if found.fact.kind == Kind.ORDINAL or found.derived:
            return False
        if found.fact.kind == Kind.PERIOD and self._is_other_period(found, reading):
            return True
        own_words = content_stems(found.fact.text)
        beside_it = (content_stems(beside(reading.plain, found.fact)) - own_words) - GENERIC_STEMS
        if all(self._is_of_other_part(unit, found, beside_it, reading) for unit in found.units):
            return True
        local = beside_it & reading.own_stems
        if not reading.mentions and self._is_of_other_line(found, local):
            return True
        if self._is_of_other_page(found, reading):
            return True
        if self._counts_others(found) or self._is_of_other_pair(found, reading):
            return True
        others = [other.units for other in reading.values if other is not found and other.units]
        kinship = self._evidence.kinship(reading.own_stems, others)
        if self._is_replaced(found, reading, kinship):
            return not self._stands_by_its_words(found, local)
        if reading.mentions:
            return False
        own = self._same_blocks(found.units)
        if others and all(own.isdisjoint(units) for units in others):
            return True
        clear = kinship.tells(_RELATED) or (kinship.known == kinship.stems and kinship.tells(_QUOTED, 1))
        return clear and not kinship.near(own, _NEAR)

    def _is_other_period(self, found: _Found, reading: _Reading) -> bool:
        """ "The monthly plan costs 120" where 120 stands beside "annual", and only something else is monthly."""
        lines = frozenset(
            unit
            for other in reading.values
            if other is not found and other.fact.kind != Kind.PERIOD
            for unit in other.units
        )
        return (
            bool(lines)
            and not lines & found.units
            and any(
                fact.kind == Kind.PERIOD or (fact.quantity is not None and fact.quantity.per)
                for unit in lines
                for fact in self._evidence.units[unit].facts
            )
        )

    def _is_of_other_line(self, found: _Found, local: frozenset[str]) -> bool:
        """ "Students pay $14.50" where students pay $9 in one line, and $14.50 stands in another, of adults."""
        units = self._evidence.units
        own = frozenset(stem for unit in found.units for stem in self._evidence.stems_around(unit))
        if not local or local & own:
            return False
        rivals = [
            unit
            for index, unit in enumerate(units)
            if index not in found.units and self._has_rival(index, found)
        ]
        if any(local <= unit.stems for unit in rivals):
            return True
        priced = found.fact.kind == Kind.MONEY
        return any(
            (len(local) > 1 or (priced and says_free(unit.text))) and local <= unit.stems
            for index, unit in enumerate(units)
            if index not in found.units
        )

    def _is_of_other_page(self, found: _Found, reading: _Reading) -> bool:
        """Are the words of one language known, and none of them on the page that proves the value?"""
        blocks = {self.block_of(unit) for unit in found.units}
        if (
            not blocks
            or reading.mentions
            or any(self._evidence.blocks[block].language != reading.language for block in blocks)
        ):
            return False
        known = (reading.own_stems & self._known_stems) - GENERIC_STEMS
        own = frozenset(
            stem for unit in self._same_blocks(found.units) for stem in self._evidence.stems_around(unit)
        )
        return bool(known) and not known & own

    def _is_of_other_pair(self, found: _Found, reading: _Reading) -> bool:
        """ "In 2022 it had 218,000" where the line pairs 218,000 with 2023, and 2022 with another number."""
        part = beside(reading.plain, found.fact)
        for other in reading.values:
            kinds = Counter(one.fact.kind for one in reading.values)
            alone = kinds[other.fact.kind] == kinds[found.fact.kind] == 1
            if other is found or not alone or other.fact.text not in part:
                continue
            shared = found.units & other.units
            if shared and all(
                self._evidence.pairs_otherwise(unit, found.fact, other.fact) for unit in shared
            ):
                return True
        return False

    def _counts_others(self, found: _Found) -> bool:
        """Where the same things are counted nearby, and come to another number: "23 stations" for 11."""
        quantity = found.fact.quantity
        if not quantity or len(quantity.noun) <= 2 or (quantity.unit and not quantity.unit.counted):
            return False
        if any(quantity.noun in self._evidence.units[unit].around.stems for unit in found.units):
            return False
        return self._evidence.counts_otherwise(quantity.noun, self._same_blocks(found.units))

    def _is_replaced(self, found: _Found, reading: _Reading, kinship: Kinship) -> bool:
        """Does the line that the sentence is made from hold another such value, unsaid, where this one was put?"""
        nearest = kinship.nearest
        line = self._evidence.units[nearest]
        beside_it = sum(nearest in other.units for other in reading.values if other is not found)
        if not (kinship.quotes or beside_it + len(reading.own_stems & line.stems) >= 2):
            return False
        if not kinship.quotes and any(self._evidence.is_next_to(unit, nearest) for unit in found.units):
            return False
        said = [other.fact for other in reading.values if nearest in other.units]
        unsaid = [fact for fact in line.facts if not any(implies(fact, one, line.around) for one in said)]
        taken = nearest in found.units and not self._is_said_twice(found.fact, said, line)
        return not taken and any(_is_rival(fact, found.fact) for fact in unsaid)

    def _is_said_twice(self, fact: Fact, said: list[Fact], line: Unit) -> bool:
        """Do more said values rest on what proves this one than there are such values in the line?"""
        proofs = {id(known) for known in line.facts if implies(known, fact, line.around)}
        resting = [
            one.text
            for one in said
            if proofs == {id(known) for known in line.facts if implies(known, one, line.around)}
        ]
        if fact.kind == Kind.DATE:  # A feast and its date are one day, named twice.
            return max(Counter(resting).values(), default=0) > len(proofs)
        return len(resting) > len(proofs)

    def _stands_by_its_words(self, found: _Found, local: frozenset[str]) -> bool:
        nearby = self._evidence.kinship(local)
        return nearby.tells(_RELATED) and nearby.near(found.units, _NEAR)

    def _is_of_other_part(self, unit: int, found: _Found, local: frozenset[str], reading: _Reading) -> bool:
        own, others = self._evidence.parts(unit, found.fact)
        least = 1 if reading.language == self._evidence.blocks[self.block_of(unit)].language else 2
        own -= GENERIC_STEMS
        if own and any(len(local & other - own) >= least and not local & own - other for other in others):
            return True
        clause, elsewhere = self._evidence.clauses(unit, found.fact)
        said = reading.stems - content_stems(found.fact.text)
        return bool(said & elsewhere - clause) and bool(clause - elsewhere) and not said & clause - elsewhere

    def _same_blocks(self, units: frozenset[int]) -> frozenset[int]:
        blocks = {self.block_of(unit) for unit in units}
        return frozenset(index for index, unit in enumerate(self._evidence.units) if unit.block in blocks)

    def block_of(self, unit: int) -> int:
        """The place of a unit's block."""
        return self._evidence.units[unit].block

    def _turned(self, reading: _Reading) -> tuple[Reason, tuple[Fact, ...]] | None:
        """Is what the evidence says denied, or its direction turned?"""
        near = self._nearest(reading)
        proven = tuple(found.fact for found in reading.found if found.units)
        if not near:
            return None
        if self._denies(reading, near):
            return Reason.NEGATION, proven
        proving = frozenset(
            unit for found in reading.values if found.fact.kind != Kind.ORDINAL for unit in found.units
        )
        known = " ".join(self._evidence.units[unit].text for unit in sorted(near | proving))
        denied = any(self._evidence.units[unit].negations for unit in near)
        if denied != bool(negators(reading.plain, reading.language)):
            return (Reason.DIRECTION, proven) if self._turns_order(reading, near) else None
        timed = any(found.fact.kind in (Kind.TIME, Kind.DATE) for found in reading.values)
        if turns_direction(
            reading.plain, known, timed=timed, same_language=self._is_of_language(near, reading.language)
        ) or self._turns_order(reading, near):
            return Reason.DIRECTION, proven
        return None

    def _is_of_language(self, units: frozenset[int], language: str) -> bool:
        return all(self._evidence.blocks[self.block_of(unit)].language == language for unit in units)

    def _turns_order(self, reading: _Reading, near: frozenset[int]) -> bool:
        """ "From 3 to 6 days" where it went from 6 to 3."""
        return any(
            first.fact.kind == second.fact.kind
            and leads_to(reading.plain, first.fact, second.fact)
            and any(
                self._evidence.leads_back(unit, first.fact, second.fact)
                for unit in first.units & second.units & near
            )
            for first, second in pairwise(reading.values)
        )

    def _denies(self, reading: _Reading, near: frozenset[int]) -> bool:
        said = negators(reading.plain, reading.language)
        if said and says_nothing(reading.plain) and not reading.values:
            return False
        blocks = {self.block_of(unit) for unit in near}
        alone = frozenset(
            unit
            for found in reading.values
            if len(found.units) == 1
            for unit in found.units
            if self.block_of(unit) in blocks
        )
        units = [self._evidence.units[unit] for unit in near | alone]
        same = reading.language == self._evidence.blocks[units[0].block].language
        if not same and not said and self._drops_negation(reading, units):
            return True
        known = [self._clause_proving(unit, reading) for unit in units]
        return denies_other(reading.plain, said, known, same)

    def _clause_proving(self, unit: Unit, reading: _Reading) -> tuple[str, tuple[int, ...]]:
        """Of a line of several clauses the one that proves a value, with its negations."""
        index = next(place for place, one in enumerate(self._evidence.units) if one is unit)
        for found in reading.values:
            proof = next((fact for fact in unit.facts if implies(fact, found.fact, unit.around)), None)
            clause, rest = self._evidence.clause_of(index, proof.text) if proof else ("", "")
            if clause and not reading.stems & content_stems(rest) - content_stems(clause):
                return clause, negators(clause, self._evidence.blocks[unit.block].language)
        return unit.text, unit.negations

    def _drops_negation(self, reading: _Reading, units: Sequence[Unit]) -> bool:
        """ "There are lessons in August" where another language's short line on August denies something."""
        proven = [found for found in reading.found if found.units and not found.fact.weak]
        line = next((index for index, unit in enumerate(self._evidence.units) if unit is units[0]), -1)
        return (
            bool(proven)
            and len(units) == 1
            and bool(units[0].negations)
            and len(units[0].stems) <= _SHORT
            and not re.search(r"[,;:]", units[0].text)
            and all(line in found.units for found in proven)
            and not says_no(reading.plain)
        )

    def _nearest(self, reading: _Reading) -> frozenset[int]:
        """The units that prove most of the sentence, and of those the likest in words."""
        scores: dict[int, float] = {}
        for found in reading.found:
            weight = 2.0 if found.fact.kind in VALUES else 1.0
            for unit in found.units:
                scores[unit] = scores.get(unit, 0.0) + weight / (1 + len(found.units) / 8)
        likeness = {
            index: len(reading.stems & unit.stems) / (len(reading.stems) or 1)
            for index, unit in enumerate(self._evidence.units)
        }
        if not scores:
            scores = {
                index: 0.0
                for index, like in likeness.items()
                if like >= _SAME_WORDS and (len(reading.stems) >= 2 or self._evidence.units[index].negations)
            }
        if not scores:
            return frozenset()
        scores |= {index: 0.0 for index, like in likeness.items() if like >= _LIKE and index not in scores}
        best = max(scores[index] + 3 * likeness[index] for index in scores)
        return frozenset(index for index in scores if scores[index] + 3 * likeness[index] >= best - 1e-9)

    def _unrelated(self, reading: _Reading) -> tuple[Reason, tuple[Fact, ...]] | None:
        """
        Does a statement share hardly a word with the evidence, though both are of one language?

        It was told to the writer by somebody else. Questions assert nothing, nor does "we don't say".
        """
        if reading.plain.rstrip().endswith("?") or says_nothing(reading.plain):
            return None
        unclear = not guess_language(reading.plain, "")
        if (
            reading.values
            or unclear
            or len(reading.stems) < _FEW_WORDS
            or self._languages != {reading.language}
        ):
            return None
        share = len(reading.stems & self._known_stems) / len(reading.stems)
        return (Reason.UNRELATED, ()) if share < _UNRELATED else None

    def _supports(self, reading: _Reading) -> tuple[int, ...]:
        """Evidence numbers, fewest that prove all, those that prove most first."""
        left = [{self.block_of(unit) for unit in found.units} for found in reading.found if found.units]
        chosen: list[int] = []
        while left:
            counts = {block: sum(block in blocks for blocks in left) for blocks in left for block in blocks}
            best = max(counts, key=lambda block: (counts[block], -block))
            chosen.append(best)
            left = [blocks for blocks in left if best not in blocks]
        if not chosen:
            chosen = sorted({self.block_of(unit) for unit in self._nearest(reading)})[:1]
        return tuple(number for number in (self._evidence.blocks[block].number for block in chosen) if number)


# Shares of what a unit with all of the sentence's words would score, and of the nearest unit's score.
_RELATED = 0.3
_QUOTED = 0.6
_NEAR = 0.6
_NEARLY_AS_NEAR = 0.8
_SAME_WORDS = 0.6
_LIKE = 0.4
_MIN_QUOTE = 0.34
_LINE = 14
_TWO = 2
_SHORT = 5
# Of 454 true sentences of one language with the demo sites' evidence, the least shared 0.4 of their words.
_UNRELATED = 0.25
_FEW_WORDS = 4


def quotation(held: Held, evidence: GuardEvidence) -> str | None:
    """
    The evidence's own words in place of a held sentence: the unit that shares most with it, in quotes.

    None where nothing is like it, or where the sentence spoke of somebody the unit is not about.
    """
    wrong = frozenset(stem for fact in held.unsupported for stem in content_stems(fact.text))
    stems = content_stems(held.sentence) - wrong
    if not stems or held.reason in (Reason.ANOTHER_SUBJECT, Reason.AFFIRMS_QUESTION, Reason.ONLY_IN_QUESTION):
        return None
    shares = [
        (len(stems & unit.stems) / len(stems), -len(unit.text), index)
        for index, unit in enumerate(evidence.units)
        if unit.text.strip()
    ]
    share, _, index = max(shares, default=(0.0, 0, 0))
    if share < _MIN_QUOTE or len(stems & evidence.units[index].stems) < 2:
        return None
    return f"“{' '.join(evidence.units[index].text.split())}”"


def _phrase(name: str) -> Phrase:
    return tuple(fold(word.text) for word in words_of(name))


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text) if re.fullmatch(r"[\d+() ./-]{7,}", text) else ""


def _by_first_word(phrases: Iterable[Phrase]) -> dict[str, list[Phrase]]:
    table: dict[str, list[Phrase]] = {}
    for phrase in sorted({phrase for phrase in phrases if phrase}, key=len, reverse=True):
        table.setdefault(phrase[0], []).append(phrase)
    return table


def _unique(anchors: Iterable[Anchor], own: frozenset[Phrase]) -> tuple[Anchor, ...]:
    """Each anchor once, people before others of the same name; the site itself is none."""
    kept: dict[Phrase | str, Anchor] = {}
    people: dict[str, Anchor] = {}
    for anchor in anchors:
        if anchor.person:
            known = people.get(anchor.person)
            phrases = tuple(dict.fromkeys((*(known.phrases if known else ()), *anchor.phrases)))
            people[anchor.person] = Anchor(phrases, anchor.person)
    people = _told_apart(people)
    named = {phrase for anchor in people.values() for phrase in anchor.phrases}
    for anchor in anchors:
        if not anchor.person and anchor.phrases[0] not in own and anchor.phrases[0] not in named:
            kept.setdefault(anchor.phrases[0], anchor)
    return (*people.values(), *kept.values())


def _told_apart(people: dict[str, Anchor]) -> dict[str, Anchor]:
    """What two people share of their names tells neither of them."""
    counts = Counter(phrase for anchor in people.values() for phrase in anchor.phrases)
    return {
        key: replace(
            anchor,
            phrases=tuple(p for p in anchor.phrases if counts[p] == 1 or len(p) > 1),
            shared=tuple(p for p in anchor.phrases if counts[p] > 1 and len(p) == 1),
        )
        for key, anchor in people.items()
    }


def _is_name_here(run: tuple[Word, ...], phrase: Phrase) -> bool:
    if tuple(fold(word.text) for word in run) != phrase:
        return False
    # One common word, or the first of a sentence, needs its capital to be taken for a name.
    return len(phrase) > 1 or (run[0].text[0].isupper() and phrase[0] not in AMBIGUOUS_TECHNOLOGIES)


def _named(plain: str, run: tuple[Word, ...]) -> Fact:
    start, end = run[0].start, run[-1].end
    return Fact(
        kind=Kind.NAME, text=plain[start:end], start=start, end=end, words=tuple(word.text for word in run)
    )


def _mentions_of(anchor: Anchor, words: tuple[Word, ...]) -> list[_Mention]:
    folded = [fold(word.text) for word in words]
    found = []
    for phrase in (*anchor.phrases, *anchor.shared):
        for place in range(len(words) - len(phrase) + 1):
            if tuple(folded[place : place + len(phrase)]) == phrase and (
                len(phrase) > 1 or words[place].text[0].isupper() or anchor.lower
            ):
                found.append(_Mention(anchor, words[place].start, words[place + len(phrase) - 1].end))
    return found


_ITEM = re.compile(r"^\s*(?:[-*+•–]|\d{1,3}[.)])\s")


def _is_item(plain: str) -> bool:
    return bool(_ITEM.match(plain))


def _names_it(fact: Fact, anchor: Anchor) -> bool:
    return fact.kind in NAMES and tuple(fold(word) for word in fact.words) in anchor.phrases


_JOINT = re.compile(
    r"[,;]|(?<!\w)(?:and|e|y|et|und|en|while|whereas|but|mas|pero|mais|aber|ma|maar|và|enquanto|mientras|während|mentre|terwijl)(?!\w)",
    re.IGNORECASE,
)


def _clause(plain: str, values: Sequence[Fact], mentions: Sequence[_Mention], fact: Fact) -> tuple[int, int]:
    """Where the part of the sentence begins and ends whose subjects this fact belongs to."""
    edges = [0, *_edges(plain, values, mentions), len(plain)]
    start = max(edge for edge in edges if edge <= fact.start)
    end = min((edge for edge in edges if edge > fact.start), default=len(plain))
    return start, end


def _edges(plain: str, values: Sequence[Fact], mentions: Sequence[_Mention]) -> list[int]:
    """A clause ends where, after a value, something joins on another subject (or, values first, another value)."""
    if not mentions or not values:
        return []
    values_first = values[0].start < mentions[0].start and values[-1].start < mentions[-1].start
    heads: Sequence[Fact | _Mention] = values if values_first else mentions
    tails: Sequence[Fact | _Mention] = mentions if values_first else values
    edges = []
    for before, head in pairwise(heads):
        gap = plain[before.end : head.start]
        joint = None if values_first and len(tails) < 2 else list(_JOINT.finditer(gap))
        if joint and any(before.start < tail.start < head.start for tail in tails):
            edges.append(before.end + joint[-1].start())
    return edges


def _own_stems(plain: str, found: Iterable[Fact], mentions: Iterable[_Mention]) -> frozenset[str]:
    taken = [(fact.start, fact.end) for fact in found if not fact.weak] + [
        (mention.start, mention.end) for mention in mentions
    ]
    for start, end in taken:
        plain = plain[:start] + " " * (end - start) + plain[end:]
    return content_stems(plain)


def _name_before(fact: Fact, reading: _Reading) -> Word | None:
    """The word with a capital right before a bare number."""
    if fact.quantity is None or fact.quantity.currency or not fact.text.split()[0].isdigit():
        return None
    words = (
        word for word in words_of(reading.plain) if word.end == fact.start - 1 and word.text[0].isupper()
    )
    return next((word for word in words if word.text.casefold() not in ANY_FUNCTION_WORD), None)


def _unknown_subjects(reading: _Reading) -> list[Fact]:
    """In a near quotation, a label in front that the evidence does not know is a changed name."""
    found = {id(known.fact) for known in reading.found}
    return [
        fact
        for fact in reading.facts
        if fact.weak
        and id(fact) not in found
        and fact.kind in NAMES
        and reading.plain[fact.end : fact.end + 1] == ":"
    ]


def _nearest_names(reading: _Reading, fact: Fact) -> list[_Found]:
    """The names in the value's part of the sentence."""
    names = [
        found
        for found in reading.found
        if found.fact.kind == Kind.NAME and found.units and not found.fact.weak
    ]
    start, end = _clause(
        reading.plain,
        [f for f in reading.facts if f.kind in VALUES],
        [_Mention(Anchor(()), name.fact.start, name.fact.end) for name in names],
        fact,
    )
    return [name for name in names if start <= name.fact.start < end and _leads_to(reading, name.fact, fact)]


def _leads_to(reading: _Reading, name: Fact, value: Fact) -> bool:
    """A name tells whose a value is from before it, or from just after it: "£38,000 for a Prototype Month"."""
    if name.start < value.start:
        return True
    gap = reading.plain[value.end : name.start]
    return "," not in gap and not any(
        value.end <= other.start < name.start for other in reading.facts if other.kind in VALUES
    )


_RELATIVE = re.compile(
    r"[,;:(]|(?<!\w)(?:which|that|who|whose|where|que|quien|qui|che|die|der|das|welche\w?|waar|mà)(?!\w)",
    re.IGNORECASE,
)


def _strict(plain: str, chosen: tuple[_Mention, ...], fact: Fact) -> tuple[Anchor, ...]:
    """A person who is the clause's subject answers for its facts alone, unless a relative clause changes it."""
    first = chosen[0]
    if (
        first.anchor.person
        and first.end <= fact.start
        and not _RELATIVE.search(plain[first.end : fact.start])
    ):
        return tuple(dict.fromkeys(mention.anchor for mention in chosen if mention.anchor.person))
    return tuple(dict.fromkeys(mention.anchor for mention in chosen))


def _is_rival(fact: Fact, other: Fact) -> bool:
    """Could one be mistaken for the other?"""
    if {fact.kind, other.kind} == {Kind.TIME, Kind.AMOUNT}:
        return all(
            one.quantity is None or (one.quantity.unit is None and one.quantity.amounts[0] <= 24)
            for one in (fact, other)
        )
    if fact.kind != other.kind:
        return False
    if fact.quantity and other.quantity:
        mine, theirs = fact.quantity.unit, other.quantity.unit
        families = (mine.family if mine else "") == (theirs.family if theirs else "")
        return families and fact.quantity.currency == other.quantity.currency
    return True


_ENUMERATED = re.compile(r"(?:,|;|(?<!\w)(?:and|or|e|ou|y|o|et|und|oder|en|of|và|hoặc)(?!\w))", re.IGNORECASE)


def _counts_itself(fact: Fact, plain: str) -> bool:
    """ "Three services: A, B and C" proves its own three."""
    if fact.quantity is None or fact.quantity.currency or not 2 <= fact.quantity.amounts[0] <= 12:
        return False
    if fact.quantity.unit and not fact.quantity.unit.counted:
        return False
    _, colon, rest = plain[fact.end :].partition(":")
    return bool(colon) and len([part for part in _ENUMERATED.split(rest) if part.strip()]) == int(
        fact.quantity.amounts[0]
    )
