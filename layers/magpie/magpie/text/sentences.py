"""
Where sentences end, decided character by character, so that no cut of a stream changes it.

`Sentences` is fed a stream; `split` cuts a whole text with the same rules. What comes out joined
is what went in. Knows abbreviations, decimals, addresses, ordinals ("am 3. Mai"), ellipses, quotes, list
items, citation tokens, soft line wraps, and the punctuation of Chinese, Japanese and Thai.

Admits: after a single initial ("plan B. We") it does not end; Thai has no full stop, so a long Thai
run ends at a space.
"""

import re

from magpie.text.dates import is_month

LONGEST = 1200
"""Characters that are ever held back; a longer run is broken at a space."""
_THAI_FROM = 200
_NEXT_WORD_MAX = 24

_STOPS = frozenset(".!?…")
_WIDE_STOPS = frozenset("。！？｡．।؟۔")
_CLOSERS = frozenset("\"'”’»)]*_`」』）】〉》")
_CITING = re.compile(r"\s*\[\d{0,3}")
_CITED = re.compile(r"\s*\[\d{1,3}\]")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘«*_]{1,40}$")
_LIST_MARK = re.compile(r"(?:^|\n)[ \t>]*(?:\d{1,3}|[A-Za-z])$")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]{1,2}$")
_SHORT_ORDINAL = re.compile(r"(?:^|\D)\d{1,2}$")
_FIRST_WORD = re.compile(r"[^\W\d_]*")

_NEVER_LAST = frozenset(
    [
        "dr",
        "mr",
        "mrs",
        "ms",
        "prof",
        "sr",
        "sra",
        "srta",
        "dra",
        "st",
        "ste",
        "mme",
        "mlle",
        "hr",
        "fr",
        "ing",
        "dipl",
        "univ",
        "gen",
        "col",
        "rev",
        "hon",
        "messrs",
        "no",
        "nr",
        "núm",
        "num",
        "nº",
        "art",
        "abs",
        "pp",
        "pg",
        "pág",
        "vol",
        "fig",
        "cap",
        "chap",
        "sec",
        "approx",
        "ca",
        "circa",
        "cf",
        "vgl",
        "bzw",
        "tel",
        "fax",
        "ggf",
        "inkl",
        "exkl",
        "zzgl",
        "eg",
        "ie",
        "z",
        "p",
        "ex",
        "resp",
        "sog",
        "insb",
        "evtl",
        "min",
        "máx",
        "max",
        "incl",
        "excl",
        "tlf",
        "av",
        "avda",
        "rua",
        "str",
        "mt",
        "ft",
        "est",
        "dott",
        "sig",
        "gent",
        "bv",
        "dhr",
        "mevr",
        "mw",
        "vs",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "abr",
        "ago",
        "dez",
        "ene",
        "dic",
        "okt",
    ]
)
_LAST_BEFORE_CAPITAL = frozenset(
    [
        "etc",
        "usw",
        "inc",
        "ltd",
        "co",
        "corp",
        "jr",
        "bros",
        "ltda",
        "cia",
        "sa",
        "gmbh",
        "plc",
        "u.a",
        "a.m",
        "p.m",
        "am",
        "pm",
        "bzgl",
    ]
)
_ORDINAL_NOUNS = frozenset(
    [
        "quartal",
        "jahrhundert",
        "jahr",
        "tag",
        "woche",
        "monat",
        "stock",
        "etage",
        "platz",
        "auflage",
        "klasse",
        "juli",
        "jahrestag",
        "geburtstag",
        "hälfte",
        "semester",
        "schritt",
        "kapitel",
        "teil",
        "runde",
        "ausgabe",
    ]
)


class Sentences:
    """
    A stream of text in, whole sentences out, each with the white space that follows it.

    Holds at most `longest` characters. The decision looks at one word beyond the end at most.
    """

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._text = ""
        self._mark = 0
        self._stop = -1

    def feed(self, text: str) -> tuple[str, ...]:
        """The sentences that this text completes."""
        return tuple(sentence for char in text for sentence in self._push(char))

    def finish(self) -> tuple[str, ...]:
        """What is left, as one last sentence."""
        rest, self._text, self._mark = self._text, "", 0
        return (rest,) if rest else ()

    def _push(self, char: str) -> tuple[str, ...]:
        self._text += char
        end = self._end(char) or self._forced()
        return self._cut(end) if end else ()

    def _cut(self, end: int) -> tuple[str, ...]:
        sentence, rest = self._text[:end], self._text[end:]
        self._text, self._mark = "", 0
        return (sentence, *self.feed(rest))

    def _forced(self) -> int:
        if len(self._text) < self._longest:
            return 0
        return _last_gap(self._text) or len(self._text)

    def _end(self, char: str) -> int:
        """The end that this character proves, 0 where it proves none."""
        if self._mark and self._extends(char):
            return 0
        if self._mark:
            return self._decided(char)
        self._watch(char)
        return 0

    def _watch(self, char: str) -> None:
        if self._is_stop(char):
            self._stop = len(self._text) - 1
            self._mark = len(self._text)

    def _is_stop(self, char: str) -> bool:
        if char == "\n":
            return bool(self._text.strip())
        if char == " ":
            return len(self._text) >= _THAI_FROM and _is_thai(self._text[-2])
        return char in _STOPS or char in _WIDE_STOPS

    def _extends(self, char: str) -> bool:
        """Does the character still belong to the end: a closing quote, a second mark, a citation?"""
        tail = self._text[self._mark :]
        if len(tail) == 1 and self._text[self._stop] not in "\n " and self._closes(char):
            self._mark += 1
            return True
        if char.isspace() and not tail.strip():
            return True
        if _CITED.fullmatch(tail):
            self._mark = len(self._text)
            return True
        return bool(_CITING.fullmatch(tail))

    def _closes(self, char: str) -> bool:
        if char in _STOPS or char in _WIDE_STOPS:
            self._stop = len(self._text) - 1
            return True
        return char in _CLOSERS

    def _decided(self, char: str) -> int:
        tail = self._text[self._mark :]
        begins = self._mark + len(tail) - len(tail.lstrip())
        verdict = self._verdict(self._text[self._mark : begins], self._text[begins:])
        if verdict is None:
            return 0
        if verdict:
            return begins
        self._resume(char)
        return 0

    def _resume(self, char: str) -> None:
        self._mark = 0
        self._watch(char)

    def _verdict(self, gap: str, following: str) -> bool | None:
        """Is it an end? None: one more character, please."""
        stop = self._text[self._stop]
        if stop in _WIDE_STOPS:
            return True
        if stop == " ":
            return _is_thai(following[0])
        if stop == "\n" or "\n" in gap:
            return self._breaks_line(stop, gap, following)
        if not gap:
            return False
        if following[0].islower():
            return False
        return stop != "." or self._dot_ends(following)

    def _breaks_line(self, stop: str, gap: str, following: str) -> bool:
        if stop in _STOPS or "\n" in gap.removesuffix("\n") or (stop == "\n" and "\n" in gap):
            return True
        return not following[0].islower()

    def _dot_ends(self, following: str) -> bool | None:
        before = self._text[: self._stop]
        if before.endswith("."):
            return True
        if _LIST_MARK.search(before[-8:] if "\n" in before[-8:] else before):
            return False
        if _SHORT_ORDINAL.search(before[-4:]):
            return self._number_ends(following)
        return _word_ends(_last_word(before), following[0])

    def _number_ends(self, following: str) -> bool | None:
        word = _FIRST_WORD.match(following)
        name = word[0].casefold() if word else ""
        if len(name) == len(following) and len(name) < _NEXT_WORD_MAX and name:
            return None
        return not (is_month(name) or name in _ORDINAL_NOUNS)


def _last_word(before: str) -> str:
    found = _LAST_WORD.search(before[-40:])
    return found[0] if found else ""


def _word_ends(word: str, following: str) -> bool:
    """Does a full stop after this word end a sentence, when this character comes next?"""
    plain = word.casefold()
    if plain in _LAST_BEFORE_CAPITAL:
        return following.isupper()
    if plain in _NEVER_LAST or _DOTTED.search(word):
        return False
    return not (len(word) == 1 and word.isalpha() and word.isupper())


def _last_gap(text: str) -> int:
    """After the last space of the second half that does not stand between digits."""
    for index in range(len(text) - 2, len(text) // 2, -1):
        if text[index].isspace() and not (text[index - 1].isdigit() and text[index + 1].isdigit()):
            return index + 1
    return 0


def _is_thai(char: str) -> bool:
    return "\u0e00" <= char <= "\u0e7f"


def split(text: str, longest: int = LONGEST) -> tuple[str, ...]:
    """All sentences of a whole text; joined they are the text."""
    sentences = Sentences(longest)
    return (*sentences.feed(text), *sentences.finish())
