"""
People who say who they are: `My name is Ana Figueiredo`, `je m'appelle Luc`, `I am Ana Figueiredo.` In the languages that Magpie speaks.

Reads plain views. Admits: a name without such words before it is not seen, for instance under a message.
"""

import re
from collections.abc import Iterable, Iterator

from magpie.text.obfuscation import Span, view

_SAYS = "|".join(
    (
        r"my (?:full |first |last )?name(?: is|'s|’s)|i(?: am|'m|’m) called|call me",
        r"(?:o )?meu nome e|chamo-me|me chamo",
        r"me llamo|mi nombre es",
        r"je m['’]appelle|mon nom est|je me nomme",
        r"ich hei(?:ss|ß)e|mein name ist",
        r"mi chiamo|il mio nome e",
        r"ik heet|mijn naam is",
        r"toi ten la|ten (?:cua )?toi la|minh ten la",
    )
)
_WORD = r"[^\W\d_](?:[\w'’-]*\w)?"
_PARTICLE = r"(?:de|da|do|dos|das|del|della|di|van|von|der|den|ter|la|le|al|bin|ibn|y|e|zu)"
_CAPITAL = r"[^\W\d_a-z](?:\.|[\w'’-]*\w)?"  # also an initial
_INTRODUCED = re.compile(rf"\b(?i:{_SAYS}):?[ ]{{1,3}}(?P<name>{_WORD})", re.UNICODE)
# `I am` says more often what somebody is: a name has two words at least, and nothing that they could describe.
_IS = r"i am|i['’]m|this is|(?:eu )?sou(?: o| a)?|(?:yo )?soy|je suis|c['’]est|ich bin|hier ist|(?:io )?sono|ik ben|toi la"
_PRESENTED = re.compile(
    rf"\b(?i:{_IS})[ ]{{1,3}}(?P<name>{_CAPITAL}(?:[ ](?:{_PARTICLE}[ ]){{0,2}}{_CAPITAL}){{1,3}})"
    r"(?=\s*(?:[.,;:!?)\n]|$|\b(?:and|from|at|here|e|y|et|und|de|da|von|aus|van)\b))",
    re.UNICODE,
)
_MORE_NAMES = re.compile(rf"(?:[ ](?:{_PARTICLE}[ ]){{0,2}}{_CAPITAL}){{1,4}}")
_ONE_MORE = re.compile(rf"[ ](?P<word>{_WORD})")
_NO_NAME = frozenset(
    [
        "a",
        "about",
        "also",
        "already",
        "an",
        "and",
        "are",
        "as",
        "at",
        "back",
        "but",
        "by",
        "down",
        "for",
        "from",
        "here",
        "how",
        "i",
        "if",
        "in",
        "is",
        "it",
        "later",
        "mentioned",
        "no",
        "not",
        "now",
        "on",
        "or",
        "so",
        "spelled",
        "spelt",
        "that",
        "the",
        "there",
        "this",
        "to",
        "unknown",
        "up",
        "was",
        "what",
        "when",
        "where",
        "why",
        "with",
        "wrong",
        "you",
        "e",
        "em",
        "mas",
        "na",
        "no",
        "nao",
        "o",
        "ou",
        "que",
        "se",
        "um",
        "uma",
        "com",
        "para",
        "y",
        "con",
        "en",
        "es",
        "la",
        "los",
        "pero",
        "por",
        "si",
        "un",
        "una",
        "et",
        "il",
        "je",
        "mais",
        "ne",
        "ou",
        "pas",
        "pour",
        "sur",
        "und",
        "aber",
        "auf",
        "bei",
        "ich",
        "im",
        "in",
        "ist",
        "nicht",
        "oder",
        "und",
        "von",
        "wie",
        "zu",
        "ed",
        "ho",
        "ma",
        "non",
        "per",
        "sono",
        "dat",
        "de",
        "een",
        "en",
        "ik",
        "is",
        "maar",
        "met",
        "niet",
        "op",
        "van",
        "va",
        "nhung",
        "khong",
        "toi",
        "tu",
    ]
)


def find_introductions(text: str) -> Iterator[Span]:
    """The names, where somebody introduces themselves."""
    for match in _INTRODUCED.finditer(text):
        if match["name"].lower() in _NO_NAME:
            continue
        start, end = match.span("name")
        yield "name", start, _end(text, start, end)
    for match in _PRESENTED.finditer(text):
        yield "name", *match.span("name")


def introduced(text: str) -> tuple[str, ...]:
    """The names as they are written in a source: each whole, then its words, as far as they begin with a capital."""
    plain = view(text)
    spans = (plain.source_span(start, end) for _, start, end in find_introductions(plain.text))
    whole = [" ".join(text[start:end].split()) for start, end in spans]
    words = [word for name in whole for word in re.findall(_WORD, name)]
    # `my name is will` makes no name of every `will`.
    return tuple(dict.fromkeys((*whole, *(word for word in words if len(word) > 1 and word[0].isupper()))))


def without_names(text: str, names: Iterable[str], mask: str) -> str:
    """The text without these names, where they stand by themselves and are written so; the longest go first."""
    for name in sorted(names, key=len, reverse=True):
        if name[0].isupper():
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", mask, text)
    return text


def _end(text: str, start: int, end: int) -> int:
    if text[start].isupper():
        more = _MORE_NAMES.match(text, end)
        return more.end() if more else end
    second = _ONE_MORE.match(text, end)  # typed in lower case: one more word may be the family's
    return second.end() if second and second["word"].lower() not in _NO_NAME else end
