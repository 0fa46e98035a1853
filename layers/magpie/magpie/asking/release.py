"""
What stands between the writer and the visitor: text goes out sentence by sentence, judged by the
guard, its citation tokens turned into numbers, its link tokens into addresses that may be told, its
Markdown into plain text, the company into "we", private names into public words; no longer than the
site wants it, and never in the words of our own prompt.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from magpie.asking.discretion import Discretion, Safety
from magpie.asking.guard import CITATION, Guard, Held
from magpie.asking.guard import Released as Proven
from magpie.asking.links import LinkTokens
from magpie.asking.prompts import NO_ANSWER, PromptMarks
from magpie.text.markup import plain
from magpie.text.sentences import Sentences
from magpie.text.voice import as_team, claims_generic, identity

TAIL = 160
"""Characters of what came before that are looked at again: a mark may be spread over sentences."""
PARAGRAPH = re.compile(r"\n[ \t]*\n")
LISTED = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """
    A sentence that may go out, with the white space after it; `numbers` is the evidence it rests on.
    `safety` tells what became of private names in it.
    """

    text: str
    numbers: tuple[int, ...] = ()
    safety: Safety | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """
    A sentence that no repair can save: `no_answer`, `generic`, `canary`, `prompt`, `unproven`, `too_long`.
    Where `is_last`, nothing more of this answer may go out.
    """

    reason: str
    is_last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A sentence with a private name, as it was written: it may be said in other words, or not at all."""

    sentence: str


Sentence = Ready | Withheld | Named | Held


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """
    How a site speaks, and to whom. `paragraphs` and `sentences` (in each) are at most; None: no limit.
    `must_prove` releases only what the evidence speaks of: for a message that gave orders.
    """

    discretion: Discretion
    marks: PromptMarks
    name: str = ""
    team_names: tuple[str, ...] = ()
    language: str = "en"
    paragraphs: int | None = None
    sentences: int | None = None
    must_prove: bool = False
    must_present: bool = True
    """A writer of its own words must not take itself for somebody's model; quoted pages may speak of them."""


class Release:
    """
    The way out of one answer. Feed what the writer writes; then `finish`.

    Without a guard sentences pass unjudged: right for a writer that only quotes.
    """

    def __init__(self, links: LinkTokens, manner: Manner, guard: Guard | None = None) -> None:
        self._links = links
        self._manner = manner
        self._guard = guard or Unjudged()
        self._length = Length(manner.paragraphs, manner.sentences)
        self._pending: Ready | None = None
        self._has_presented = False
        self._is_over = False
        self._tail = ""

    def feed(self, text: str) -> tuple[Sentence, ...]:
        return tuple(self._sentences(self._guard.feed(text)))

    def finish(self) -> tuple[Sentence, ...]:
        last = tuple(self._sentences(self._guard.finish()))
        left, self._pending = self._pending, None
        return last if left is None else (*last, self._told(left))

    def ready(self, proven: Proven) -> Sentence:
        """A sentence that was proven by itself, for instance after a repair."""
        if too_long := self._length.refusal(proven.text):
            return too_long
        return self._told(Ready(text=self._worded(proven.text), numbers=_numbers(proven)))

    def _sentences(self, verdicts: Iterable[Proven | Held]) -> Iterator[Sentence]:
        for verdict in verdicts:
            if self._is_over:
                return
            for sentence in self._joined(self._one(verdict)):
                self._is_over = isinstance(sentence, Withheld) and sentence.is_last
                if not isinstance(sentence, Ready) or sentence.text:
                    yield sentence
                if self._is_over:
                    return

    def _joined(self, sentence: Sentence) -> Iterator[Sentence]:
        """A sentence at whose end a private name may begin waits for the next one."""
        pending, self._pending = self._pending, None
        if not isinstance(sentence, Ready):
            yield from () if pending is None else (self._told(pending),)
            yield sentence
            return
        if pending is not None:
            numbers = tuple(dict.fromkeys((*pending.numbers, *sentence.numbers)))
            sentence = Ready(text=pending.text + sentence.text, numbers=numbers)
        if self._manner.discretion.begins(sentence.text):
            self._pending = sentence
        else:
            yield self._told(sentence)

    def _one(self, verdict: Proven | Held) -> Sentence:
        words = verdict.sentence if isinstance(verdict, Held) else verdict.text
        if NO_ANSWER in words:
            return Withheld(reason="no_answer")
        self._tail = self._tail[-TAIL:] + words
        if reason := self._manner.marks.found_in(self._tail):
            return Withheld(reason=reason, is_last=True)
        if self._manner.must_present and claims_generic(plain(words)):
            return self._presented(words)
        if not self._manner.discretion.is_insider and self._manner.discretion.names(words):
            return Named(sentence=words)
        if isinstance(verdict, Held):
            return verdict
        if self._manner.must_prove and not verdict.supports:
            return Withheld(reason="unproven")
        if too_long := self._length.refusal(verdict.text):
            return too_long
        return Ready(text=self._worded(verdict.text), numbers=_numbers(verdict))

    def _presented(self, words: str) -> Sentence:
        """In place of somebody's language model the assistant by its name, once."""
        if self._has_presented or not self._manner.name:
            return Withheld(reason="generic")
        self._has_presented = True
        gap = words[len(words.rstrip()) :]
        return Ready(text=identity(self._manner.name, self._manner.language) + gap)

    def _worded(self, text: str) -> str:
        shown = self._links.show(plain(text))
        return as_team(shown, self._manner.team_names, self._manner.language)

    def _told(self, ready: Ready) -> Sentence:
        """The sentence in the words that this viewer may be told."""
        discretion = self._manner.discretion
        text = discretion.redacted(ready.text)
        if text is None:
            return Named(sentence=ready.text)
        if text != ready.text:
            return replace(ready, text=text, safety=Safety.EXTERNAL_REDACTED)
        if discretion.is_insider and discretion.names(text):
            return replace(ready, safety=Safety.INTERNAL_NAMED)
        return ready


@dataclass(slots=True)
class Length:
    """Counts what went out: paragraphs, and sentences in each. An item of a list is no sentence of its own."""

    paragraphs: int | None
    sentences: int | None
    _paragraph: int = field(default=0, init=False)
    _sentence: int = field(default=0, init=False)

    def refusal(self, text: str) -> Withheld | None:
        """Why one more sentence may not go out; one that may is counted."""
        if self.paragraphs is not None and self._paragraph >= self.paragraphs:
            return Withheld(reason="too_long", is_last=True)
        is_item = LISTED.match(text) is not None
        is_full = self.sentences is not None and self._sentence >= self.sentences and not is_item
        self._sentence += not is_item
        if PARAGRAPH.search(text[len(text.rstrip()) :]):
            self._paragraph += 1
            self._sentence = 0
        is_last = self.paragraphs is not None and self._paragraph >= self.paragraphs - 1
        return Withheld(reason="too_long", is_last=is_last) if is_full else None


class Unjudged:
    """In the guard's place: every sentence passes, citing what it names."""

    def __init__(self) -> None:
        self._sentences = Sentences()

    def feed(self, text: str) -> tuple[Proven, ...]:
        return tuple(map(unjudged, self._sentences.feed(text)))

    def finish(self) -> tuple[Proven, ...]:
        return tuple(map(unjudged, self._sentences.finish()))


def unjudged(sentence: str) -> Proven:
    """A sentence that needs no judge, with what it cites."""
    cited = tuple(dict.fromkeys(int(number) for number in CITATION.findall(sentence)))
    return Proven(text=CITATION.sub("", sentence), cited=cited, supports=cited)


def _numbers(proven: Proven) -> tuple[int, ...]:
    """
    What the writer names, as far as it holds; where it names something else, the best proof.

    A number of 0 is a value computed from metadata: it has no page.
    """
    if not proven.supports:
        return proven.cited
    agreed = tuple(number for number in proven.cited if number in proven.supports)
    return agreed or tuple(number for number in proven.supports if number)[:1]
