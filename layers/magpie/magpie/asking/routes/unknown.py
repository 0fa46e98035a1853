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
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\"“«(]\s*)[¿¡\"“«(]*\s*$")


async def unknown_name(asked: Asked, reader: Reader) -> str:
    """The first name of the question that stands nowhere in the corpus; empty where all do."""
    for name in names_in(asked.text, asked.language)[:MOST_CHECKED]:
        if _in_titles(name, asked) or await reader.exact(name, limit=1):
            continue
        return name
    return ""


def names_in(text: str, language: str) -> tuple[str, ...]:
    """
    What only a name can be: capitals inside a sentence, capitals all through, letters and digits mixed,
    the name of a website. Not the visitor's own: a name that is introduced, an e-mail address.

    German writes all nouns with a capital: there only capitals all through and digits count.
    """
    found = []
    own = introduced(text)
    for match in _TOKEN.finditer(text):
        word = re.sub(r"['’]s?$", "", match.group())
        if word in own or "@" in (
            text[match.start() - 1 : match.start()],
            text[match.end() : match.end() + 1],
        ):
            continue
        if _is_name(word, text[: match.start()], language):
            found.append(word)
    return tuple(dict.fromkeys(found))


def _is_name(word: str, before: str, language: str) -> bool:
    if fold(word) in stop_words(language) or fold(word) in MONTHS or fold(word) in WEEKDAYS or len(word) < 2:
        return False  # English writes days with a capital; a page that says `on Sundays` tells of Sunday
    if word.isdigit():
        return len(word) >= 5
    is_acronym = (
        word.isupper() or any(char.isdigit() for char in word) or any(char.isupper() for char in word[1:])
    )
    if is_acronym or _HOST.fullmatch(word):
        return True
    return word[0].isupper() and language != "de" and not _SENTENCE_START.search(before)


def _in_titles(name: str, asked: Asked) -> bool:
    wanted = re.compile(rf"(?<!\w){re.escape(plain(name))}(?!\w)")
    known: Sequence[str] = [asked.site.site.name, asked.site.persona.name, *(row.title for row in asked.rows)]
    return any(wanted.search(plain(title)) for title in known)
