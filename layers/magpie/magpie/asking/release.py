"""
What stands between the writer and the visitor: text goes out sentence by sentence, judged by the
guard, its citation tokens turned into numbers, its link tokens into addresses that may be told, its
Markdown into plain text.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from magpie.asking.guard import Guard, Held
from magpie.asking.guard import Released as Proven
from magpie.asking.links import LinkTokens
from magpie.asking.prompts import NO_ANSWER
from magpie.text.sentences import Sentences

CITED = re.compile(r"\s*\[(\d{1,3})\](?!\()")
IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
MARKDOWN_LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\n]*)\)")
HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE)
FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n?", re.MULTILINE)
EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|__)(?=\S)(.+?)(?<=\S)\1(?![\w*])")
CODE = re.compile(r"`([^`\n]+)`")
TAG = re.compile(r"</?[A-Za-z][^>\n]*>|<!--.*?-->")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A sentence that may go out, with the white space after it; `numbers` is the evidence it rests on."""

    text: str
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A sentence that no repair can save: `no_answer`, `canary`."""

    reason: str


Sentence = Ready | Withheld | Held


class Release:
    """
    The way out of one answer. Feed what the writer writes; then `finish`.

    Without a guard sentences pass unjudged: right for a writer that only quotes.
    """

    def __init__(self, links: LinkTokens, canary: str = "", guard: Guard | None = None) -> None:
        self._links = links
        self._canary = canary
        self._guard = guard or Unjudged()

    def feed(self, text: str) -> tuple[Sentence, ...]:
        return self._sentences(self._guard.feed(text))

    def finish(self) -> tuple[Sentence, ...]:
        return self._sentences(self._guard.finish())

    def ready(self, proven: Proven) -> Ready:
        """A sentence that was proven by itself, for instance after a repair."""
        return Ready(text=self._links.show(plain(proven.text)), numbers=_numbers(proven))

    def _sentences(self, verdicts: Iterable[Proven | Held]) -> tuple[Sentence, ...]:
        sentences = (self._one(verdict) for verdict in verdicts)
        return tuple(sentence for sentence in sentences if not isinstance(sentence, Ready) or sentence.text)

    def _one(self, verdict: Proven | Held) -> Sentence:
        words = verdict.sentence if isinstance(verdict, Held) else verdict.text
        if NO_ANSWER in words:
            return Withheld(reason="no_answer")
        if self._canary and self._canary in words:
            return Withheld(reason="canary")
        return verdict if isinstance(verdict, Held) else self.ready(verdict)


class Unjudged:
    """In the guard's place: every sentence passes, citing what it names."""

    def __init__(self) -> None:
        self._sentences = Sentences()

    def feed(self, text: str) -> tuple[Proven, ...]:
        return tuple(map(_unjudged, self._sentences.feed(text)))

    def finish(self) -> tuple[Proven, ...]:
        return tuple(map(_unjudged, self._sentences.finish()))


def _unjudged(sentence: str) -> Proven:
    cited = tuple(dict.fromkeys(int(number) for number in CITED.findall(sentence)))
    return Proven(text=CITED.sub("", sentence), cited=cited)


def _numbers(proven: Proven) -> tuple[int, ...]:
    """
    What the writer names, as far as it holds; where it names something else, the best proof.

    A number of 0 is a value computed from metadata: it has no page.
    """
    if not proven.supports:
        return proven.cited
    agreed = tuple(number for number in proven.cited if number in proven.supports)
    return agreed or tuple(number for number in proven.supports if number)[:1]


def plain(markdown: str) -> str:
    """Markdown as plain text: no images, no markup, a link as its words and its address."""
    text = TAG.sub("", IMAGE.sub("", markdown))
    text = MARKDOWN_LINK.sub(_link_words, text)
    text = HEADING.sub("", FENCE.sub("", text))
    return CODE.sub(r"\1", EMPHASIS.sub(r"\2", text))


def _link_words(match: re.Match[str]) -> str:
    words, target = match.group(1), match.group(2).strip()
    return words if words == target or not target.startswith("[[link:") else f"{words} ({target})"
