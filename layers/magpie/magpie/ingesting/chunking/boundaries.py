"""
Where a text may be cut: never inside a word, best after a paragraph, a sentence, a line.

Scripts that write no spaces (Thai, Lao, Khmer, Burmese, Chinese, Japanese) may be cut between
letters where nothing better is near, but never before a mark that belongs to the letter before it.
"""

import re
import unicodedata

# Sentence ends of Latin, Cyrillic, Greek, Arabic, Devanagari, Ethiopic, Armenian and CJK scripts.
SENTENCE_END = re.compile(
    r"""(?:[.!?…:]+["'”’»)\]]*(?=\s)|[。！？｡]+["'”’」』）]*|[؟।॥።։۔]+["'”’»)]*(?=\s|$))"""
)
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def is_boundary(text: str, position: int) -> bool:
    """Whether a cut at `position` leaves every word whole."""
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if before.isspace() or after.isspace():
        return True
    return _may_part(before, after)


def _may_part(before: str, after: str) -> bool:
    if (
        unicodedata.combining(after)
        or unicodedata.category(after) in ("Mn", "Mc")
        or _unseen_joiner(before, after)
    ):
        return False
    return bool(_UNSPACED.match(before) or _UNSPACED.match(after))


def _unseen_joiner(before: str, after: str) -> bool:
    return "\u200d" in (before, after) or after in "\ufe0e\ufe0f"


def boundary_from(text: str, position: int, limit: int) -> int:
    """The first boundary at or after `position` that begins a word; `limit` where there is none."""
    while position < limit and not (is_boundary(text, position) and not text[position].isspace()):
        position += 1
    return position


def word_from(text: str, position: int, limit: int) -> int:
    """The first character at or after `position` that is no white space."""
    while position < limit and text[position].isspace():
        position += 1
    return position


def best_break(text: str, start: int, limit: int) -> int:
    """
    Where a piece that begins at `start` ends: in (start, limit], as late as its kind allows.

    A break of a better kind counts in the second half only; else pieces would be short.
    """
    middle = start + (limit - start) // 2
    for end in (
        _after_last(text, "\n\n", middle, limit),
        _sentence_end(text, middle, limit),
        _after_last(text, "\n", middle, limit),
        _after_last(text, "; ", middle, limit),
        _space(text, start, limit),
    ):
        if end > start:
            return trimmed(text, start, end)
    return _letter(text, start, limit)


def trimmed(text: str, start: int, end: int) -> int:
    """The end without white space before it, but after `start`."""
    while end > start + 1 and text[end - 1].isspace():
        end -= 1
    return end


def _after_last(text: str, mark: str, low: int, high: int) -> int:
    found = text.rfind(mark, low, high)
    return found + len(mark.rstrip()) if found > low else -1


def _sentence_end(text: str, low: int, high: int) -> int:
    ends = [match.end() for match in SENTENCE_END.finditer(text, low, min(high + 1, len(text)))]
    return next((end for end in reversed(ends) if end <= high), -1)


def _space(text: str, low: int, high: int) -> int:
    if high < len(text) and text[high].isspace():
        return high
    position = high - 1
    while position > low and not text[position].isspace():
        position -= 1
    if position <= low or (high - position) * 2 > high - low:
        inside = _unspaced(text, low, high)
        return inside if inside > position else position
    return position


def _unspaced(text: str, low: int, high: int) -> int:
    position = high
    while position > low and not is_boundary(text, position):
        position -= 1
    return position if position > low else -1


def _letter(text: str, start: int, limit: int) -> int:
    """Inside a word that is longer than a whole piece: before a letter, not before its marks."""
    position = limit
    while (
        position > start + 1
        and position < len(text)
        and unicodedata.category(text[position]) in ("Mn", "Mc", "Me", "Cf")
    ):
        position -= 1
    return position
