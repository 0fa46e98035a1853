"""Evidence cut into what may be quoted: sentences, list items, labelled lines, each with its headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from magpie.model import Evidence, SourceKey
from magpie.text.language import detect
from magpie.text.sentences import split
from magpie.text.stems import key_words

LABEL = re.compile(r"^\s*(?:[-*+]\s+)?([A-Z][\w /-]{1,40}?):\s+(?=\S)")
_EMPTY_LABEL = re.compile(
    r"^(?:[-*+]\s+)?(?:Summary|Description|Bio|Biography|Text|Content|Body|Details?|Bullets|Items|Points)( [a-z]{2})?:\s+(?=\S)"
)
_SEARCH_LABEL = re.compile(
    r"^(?:[-*+]\s+)?(?:Aliases|Keywords|Tags|Slug|Id|Topic|Record|Reference rank):\s", re.IGNORECASE
)
_LIST_HEAD = re.compile(r"^[A-Z][\w'’/-]*(?: [\w'’/-]+){0,2}:\s*$")
LONGEST_LABEL_WORDS = 3
LONGEST_LINE_WORDS = 20  # a longer labelled line is prose
LIST_LEVEL = 7  # below every heading: a word and a colon above a list
LONG_ENOUGH_TO_TELL_CHARS = 24
LEFT_WORDS = 4  # that carry meaning, beside what redaction took out; fewer only name what is not told
LONG_ENOUGH_TO_STAND_WORDS = 7  # a labelled value this long is a sentence, and needs no label
_ITEM = re.compile(r"^\s*(?:[-*+•●]|\d{1,2}[.)])\s+")
_QUOTE = re.compile(r"^\s{0,3}(?:>\s?)+")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_RULE = re.compile(r"^[\s|:=*_-]+$")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\(\s*(\[\[link:\d+\]\]|[^)\s]*)[^)\n]*\)")
_MARKS = re.compile(r"(\*{1,3}|__)(?=\S)(.+?)(?<=\S)\1|`([^`\n]+)`")
_REDACTED = re.compile(r"\[redacted [a-z][a-z -]{2,20}\]")
_TOKENED = re.compile(r"\[\[link:\d+\]\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """
    `text` as it may be quoted; `section` the headings above it; `place` counts through one piece of
    evidence; `block` counts its paragraphs, lists and tables; `link` is the address it carries;
    `language` its own, which in a record of two languages is not that of its chunk.
    """

    number: int
    place: int
    block: int
    text: str
    kind: str = "sentence"
    section: str = ""
    link: str = ""
    language: str = "en"


def in_reading_order(evidence: Sequence[Evidence]) -> tuple[tuple[Evidence, Unit], ...]:
    """
    All units: sources by rank, each from its beginning, what neighbouring chunks share only once.

    `place` and `block` then count through a source, so that a list goes on in the next chunk.
    """
    sources: dict[SourceKey, list[Evidence]] = {}
    for item in evidence:
        sources.setdefault(item.passage.key, []).append(item)
    return tuple(pair for items in sources.values() for pair in _of_source(items))


def _of_source(items: Sequence[Evidence]) -> Iterator[tuple[Evidence, Unit]]:
    said: set[str] = set()
    place = block = 0
    for item in sorted(items, key=lambda one: one.passage.index):
        units = units_of(item)
        for unit in units:
            if unit.text not in said:
                said.add(unit.text)
                yield item, replace(unit, place=place, block=block + unit.block)
                place += 1
        block += max((unit.block for unit in units), default=0)


def units_of(evidence: Evidence) -> tuple[Unit, ...]:
    """The units of one piece of evidence, in its order."""
    found: list[Unit] = []
    seen = False
    for kind, section, block, text in _pieces(evidence.text):
        quoted = readable(text)
        is_first = not found and not seen
        seen = True
        if not any(char.isalnum() for char in quoted) or _says_nothing_new(quoted, kind, evidence):
            continue
        if _is_redacted_away(quoted, str(evidence.passage.language)):
            continue
        if not (is_first and _is_fragment(quoted, evidence)):
            found.append(
                Unit(
                    number=evidence.number,
                    place=len(found),
                    block=block,
                    text=quoted,
                    kind=kind,
                    section=section,
                    link=next(iter(_TOKENED.findall(text)), ""),
                    language=language_of(quoted, str(evidence.passage.language)),
                )
            )
    return tuple(found)


def _says_nothing_new(text: str, kind: str, evidence: Evidence) -> bool:
    """A line that only repeats the title (an FAQ entry opens with its question), or that is there for the search."""
    label = LABEL.match(text)
    value = text[label.end() :] if label else text
    is_line = kind in {"label", "item"} or value.endswith("?")
    return is_line and (
        value.strip() == evidence.passage.title.strip() or _SEARCH_LABEL.match(text) is not None
    )


def _is_redacted_away(text: str, language: str) -> bool:
    """`Born [redacted birth date].` answers nobody; a sentence that also says something may be quoted."""
    left, count = _REDACTED.subn(" ", text)
    return count > 0 and len(key_words(left, language)) < LEFT_WORDS


@lru_cache(maxsize=8192)
def language_of(text: str, passage: str) -> str:
    """The text's own language where it is long enough to tell, else its passage's."""
    if len(text) < LONG_ENOUGH_TO_TELL_CHARS or (text.isascii() and passage == "en"):
        return passage
    return detect(text) or passage


def _is_fragment(text: str, evidence: Evidence) -> bool:
    """Whether it is the rest of a sentence that began in the chunk before."""
    return evidence.passage.index > 0 and text[:1].islower()


def readable(text: str) -> str:
    """Without marks of emphasis; a link as its words."""
    plain = _LINK.sub(lambda match: match.group(1), text)
    plain = _MARKS.sub(lambda match: match.group(2) or match.group(3) or "", plain)
    return " ".join(_TOKENED.sub("", plain).split()) if _LINK.search(text) else " ".join(plain.split())


def _pieces(text: str) -> Iterator[tuple[str, str, int, str]]:
    """Kind, section, block and text of each piece."""
    headings: list[tuple[int, str]] = []
    block = 0
    paragraph: list[str] = []
    is_list = False
    for line in [*_unwrapped(text), ""]:
        heading = _HEADING.match(line)
        is_item = (
            _ITEM.match(line) is not None or line.lstrip().startswith("|") or LABEL.match(line) is not None
        )
        if (not line.strip() or heading or is_item) and paragraph:
            yield from (("sentence", _path(headings), block, piece) for piece in split(" ".join(paragraph)))
            paragraph = []
        if heading:
            headings = _under(headings, len(heading.group(1)), readable(heading.group(2)))
            block += 1
        elif not paragraph and _LIST_HEAD.match(line):
            name = "" if _EMPTY_LABEL.match(f"{line.strip()} -") else line.strip(" :")
            headings = _under(headings, LIST_LEVEL, name)
        elif is_item:
            is_list = True
            yield from _item(line, _path(headings), block)
        elif not line.strip():
            headings = [one for one in headings if one[0] < LIST_LEVEL] if is_list else headings
            is_list = False
            block += 1
        else:
            paragraph.append(line.strip())


def _under(headings: Sequence[tuple[int, str]], level: int, text: str) -> list[tuple[int, str]]:
    return [*(upper for upper in headings if upper[0] < level), (level, text)]


def _unwrapped(text: str) -> Sequence[str]:
    """Lines, with those that only continue an item joined to it."""
    lines: list[str] = []
    for line in (_QUOTE.sub("", written) for written in text.split("\n")):
        if (
            lines
            and line.startswith(("  ", "\t"))
            and _ITEM.match(lines[-1])
            and not _ITEM.match(line)
            and line.strip()
        ):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return lines


def _item(line: str, section: str, block: int) -> Iterator[tuple[str, str, int, str]]:
    if _RULE.match(line):
        return
    if line.lstrip().startswith("|"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        yield "row", section, block, ", ".join(cell for cell in cells if cell)
        return
    if _SEARCH_LABEL.match(line):
        return
    marked = _ITEM.match(line) is not None
    written = _ITEM.sub("", line).strip()
    bare = _EMPTY_LABEL.sub("", written)
    label = LABEL.match(bare) if bare == written else None
    value = bare[label.end() :] if label else bare
    if label and _stands_alone(label.group(1), value):
        heading = f"{section} > {label.group(1)}" if section else label.group(1)
        # A line of a list keeps its label: `Founded: March 2015, by two friends.`
        yield from (("sentence", heading, block, piece) for piece in split(bare if marked else value))
    elif not marked and (not label or len(bare.split()) > LONGEST_LINE_WORDS):
        yield from (("sentence", section, block, piece) for piece in split(bare))
    elif len(value.split()) > 30:
        yield from (("item", section, block, piece) for piece in split(bare))
    else:
        yield "item" if marked else "label", section, block, bare


def _stands_alone(label: str, value: str) -> bool:
    """Whether a value is a sentence that needs no label; a clause before a colon is part of its sentence."""
    begins_anew = value[:1].isupper() or value[:1].isdigit()
    return (
        begins_anew
        and len(value.split()) >= LONG_ENOUGH_TO_STAND_WORDS
        and len(label.split()) <= LONGEST_LABEL_WORDS
    )


def _path(headings: Sequence[tuple[int, str]]) -> str:
    return " > ".join(text for _, text in headings if text)
