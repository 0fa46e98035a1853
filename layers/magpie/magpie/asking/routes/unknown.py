"""Names in a question that the corpus never says: nothing that is found can be an answer to them."""

import re
from collections.abc import Sequence

from magpie.asking.routes.asked import Asked, Reader
from magpie.asking.routes.words import plain
from magpie.text.dates import MONTHS, WEEKDAYS
from magpie.text.introductions import introduced
from magpie.text.stems import fold, stop_words

MOST_CHECKED = 4
_TOKEN = re.compile(r"[^\W_]+(?:[.&+#'’-]+[^\W_]+)*(?:\+\+|#)?")
# A site's name as people write it; any word before a dot and another may be a missing space.
_HOST = re.compile(
    r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|gov|edu|info|io|dev|app|ai|eu|uk|pt|br|de|fr|es|it|nl|vn|us|in|example)"
)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|e|er|ers|ern|de|ste|nd[ao]|[aoºª])")  # `3rd`, `the 80s`, `70ern`
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\"“«(]\s*)[¿¡\"“«(]*\s*$")


async def unknown_name(asked: Asked, reader: Reader) -> str:
    """
    The first name of the question that stands nowhere in the corpus; empty where all do.

    Who asks in another language than the pages' may call a place, a people or an office otherwise
    than they do (`Varsovia`, `Parlamento`): there only what no language translates can be unknown.
    """
    is_abroad = asked.language != asked.site.site.corpus_language
    for name in names_in(asked.text, asked.language, is_abroad=is_abroad)[:MOST_CHECKED]:
        if _in_titles(name, asked) or await reader.exact(name, limit=1):
            continue
        return name
    return ""


def names_in(text: str, language: str, *, is_abroad: bool = False) -> tuple[str, ...]:
    """
    What only a name can be: capitals inside a sentence, capitals all through, letters and digits mixed,
    the name of a website. Not the visitor's own: a name that is introduced, an e-mail address.

    German writes all nouns with a capital: there only capitals all through and digits count, and so
    `is_abroad`, where names may be translated.
    """
    has_plain_capitals = language != "de" and not is_abroad
    found = []
    own = introduced(text)
    for match in _TOKEN.finditer(text):
        word = _named_part(re.sub(r"['’]s?$", "", match.group()))
        if word in own or "@" in (
            text[match.start() - 1 : match.start()],
            text[match.end() : match.end() + 1],
        ):
            continue
        if _is_name(word, text[: match.start()], language, has_plain_capitals):
            found.append(word)
    return tuple(dict.fromkeys((*_numbered(text, found), *found)))


def _numbered(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """A name with its number is a name of its own: there may be a `Model 2` and no `Model 3`."""
    pairs = (re.search(rf"(?<!\w){re.escape(name)} \d{{1,3}}(?![\w.,]?\d)(?!\w)", text) for name in names)
    return tuple(pair.group() for pair in pairs if pair)


def _is_name(word: str, before: str, language: str, has_plain_capitals: bool) -> bool:
    if fold(word) in stop_words(language) or fold(word) in MONTHS or fold(word) in WEEKDAYS or len(word) < 2:
        return False  # English writes days with a capital; a page that says `on Sundays` tells of Sunday
    if word.isdigit():
        return len(word) >= 5
    is_acronym = any(map(_is_marked, word.split("-")))
    if is_acronym or _HOST.fullmatch(word):
        return True
    return has_plain_capitals and word[0].isupper() and not _SENTENCE_START.search(before)


def _is_marked(part: str) -> bool:
    """Capitals all through or inside, or letters and digits mixed."""
    if len(part) < 2 or part.isdigit() or _ORDINAL.fullmatch(part):
        return False
    return part.isupper() or any(char.isdigit() or char.isupper() for char in part[1:]) or part[0].isdigit()


def _named_part(word: str) -> str:
    """`NASA` of `NASA-Gruppierung`: the rest of a compound is a word like any other."""
    parts = [part for part in word.split("-") if not part.isdigit()]
    marked = [part for part in parts if _is_marked(part)]
    return marked[0] if marked and len(marked) < len(parts) else word


def _in_titles(name: str, asked: Asked) -> bool:
    wanted = re.compile(rf"(?<!\w){re.escape(plain(name))}(?!\w)")
    known: Sequence[str] = [asked.site.site.name, asked.site.persona.name, *(row.title for row in asked.rows)]
    return any(wanted.search(plain(title)) for title in known)
