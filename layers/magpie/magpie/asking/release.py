"""
What stands between the writer and the visitor: text goes out sentence by sentence, its citation
tokens turned into numbers, its link tokens into addresses that may be told, its Markdown into
plain text.
"""

import re
from dataclasses import dataclass

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
class Released:
    """A sentence that may go out, with the white space after it; `numbers` is the evidence it names."""

    text: str
    numbers: tuple[int, ...] = ()
    withheld: str = ""
    """Why it may not go out after all: `no_answer`, `canary`; the text is empty then."""


class Release:
    """The way out of one answer. Feed what the writer writes; then `finish`."""

    def __init__(self, links: LinkTokens, canary: str = "") -> None:
        self._links = links
        self._canary = canary
        self._sentences = Sentences()

    def feed(self, text: str) -> tuple[Released, ...]:
        return self._released(self._sentences.feed(text))

    def finish(self) -> tuple[Released, ...]:
        return self._released(self._sentences.finish())

    def _released(self, sentences: tuple[str, ...]) -> tuple[Released, ...]:
        ready = (self._one(sentence) for sentence in sentences)
        return tuple(released for released in ready if released.text or released.withheld)

    def _one(self, sentence: str) -> Released:
        if NO_ANSWER in sentence:
            return Released(text="", withheld="no_answer")
        if self._canary and self._canary in sentence:
            return Released(text="", withheld="canary")
        numbers = tuple(dict.fromkeys(int(number) for number in CITED.findall(sentence)))
        return Released(text=self._links.show(plain(CITED.sub("", sentence))), numbers=numbers)


def plain(markdown: str) -> str:
    """Markdown as plain text: no images, no markup, a link as its words and its address."""
    text = TAG.sub("", IMAGE.sub("", markdown))
    text = MARKDOWN_LINK.sub(_link_words, text)
    text = HEADING.sub("", FENCE.sub("", text))
    return CODE.sub(r"\1", EMPHASIS.sub(r"\2", text))


def _link_words(match: re.Match[str]) -> str:
    words, target = match.group(1), match.group(2).strip()
    return words if words == target or not target.startswith("[[link:") else f"{words} ({target})"
