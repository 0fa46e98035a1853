"""Whether a message refers to something that was said, or that is open, and to what."""

import re

from magpie.asking.extractive.wants import SAID_BY_SHAPE, asking_words, want_of
from magpie.asking.history import last_answer, remembered
from magpie.asking.routes.words import hears
from magpie.model import Question
from magpie.site import Site
from magpie.text.language import detect
from magpie.text.stems import is_stop_word, key_words, raw_words

_REFERS = re.compile(
    r"\b(?:it|its|that|this|those|these|they|them|their|he|his|him|she|her|there|one|ones|same"
    r"|isso|isto|ele|ela|eles|elas|dele|dela|seu|sua|lá|eso|esto|él|ella|ellos|ellas|su|sus|ahí"
    r"|cela|ça|il|elle|ils|elles|son|sa|ses|leur|es|er|sie|ihr|ihre|sein|seine|das|dies|dort"
    r"|esso|lui|lei|loro|suo|sua|quello|ci|het|hij|zij|ze|hun|haar|zijn|dat|die|daar|nó|đó|họ|ấy)\b",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"^\s*[¿¡]?\s*(?:and|also|e|y|et|und|en|và|còn|then|so|but|mas|pero|mais|aber|ma|maar)\b[\s,]",
    re.IGNORECASE,
)
# Words that mean nothing by themselves: no formal `Sie`, no `su` or `seu` that may be `your`.
_MEANS_NOTHING_ALONE = re.compile(
    r"\b(?:it|they|them|isso|isto|aquilo|eso|esto|aquello|ça|cela|nó|cái đó|cái này)\b"
    r"|\b(?:that|this|those|these|es|das|questo|quello|het|dat)\s*[?!.]*$",
    re.IGNORECASE,
)
LITTLE_WORDS = 2
MOST_CONTEXT_WORDS = 8


def refers_back(text: str, before: str, spoken: str = "en") -> bool:
    """
    Whether a message needs an earlier one: it begins with `and` or points, and says little of its own.
    `spoken` is the conversation's language, for a message too short to tell its own.
    """
    if not before:
        return False
    return _says_little(text, spoken) and (
        _BEGINS.match(text) is not None or _REFERS.search(text) is not None
    )


def points(text: str) -> bool:
    """Whether it says `it`, `they`, `there`."""
    return _REFERS.search(text) is not None


def points_nowhere(question: Question) -> bool:
    """Whether it asks about `it` with no page open and nothing said before."""
    has_context = question.page is not None or bool(question.history)
    return (
        not has_context and _says_little(question.text) and bool(_MEANS_NOTHING_ALONE.search(question.text))
    )


def topic(text: str, spoken: str = "en") -> str:
    """The words of a text that say what it is about, as they stand."""
    language = detect(text) or spoken
    kept = [word for word in raw_words(text) if not is_stop_word(word, language) and not word.isdigit()]
    return " ".join(kept[:MOST_CONTEXT_WORDS])


def topic_before(question: Question, site: Site) -> str:
    """
    What the conversation is about: the visitor's last message, and where that one only referred
    back, the page that our answer to it cited. Empty where the open page is meant.
    """
    if _means_the_page(question):
        return ""
    turns = remembered(question, site.speaking.history)
    for place in range(len(turns) - 1, -1, -1):
        turn = turns[place]
        if turn.role == "assistant":
            continue
        if not refers_back(turn.text, "something", spoken_before(question)):
            return topic(turn.text, spoken_before(question))
        cited = [one.title for later in turns[place + 1 : place + 2] for one in later.citations]
        if cited:
            return cited[0]
    return ""


def _means_the_page(question: Question) -> bool:
    """`This` and `it` mean the open page, unless our last answer was about another one."""
    if question.page is None or not hears("page", question.text):
        return False
    last = last_answer(question)
    return last is None or not last.citations


def spoken_before(question: Question) -> str:
    """The language of our last answer that a receipt vouches for."""
    spoken = (turn.language for turn in reversed(question.history) if turn.verified and turn.language)
    return next(spoken, "en")


def _says_little(text: str, spoken: str = "en") -> bool:
    """Whether hardly a word is left beside those that only ask for a kind of value (`how long`, `quanto tempo`)."""
    language, want = detect(text) or spoken, want_of(text)
    asking = asking_words(want.kind, language) if want.kind in SAID_BY_SHAPE else frozenset()
    own = [word for word in topic(text, spoken).split() if not set(key_words(word, language)) <= asking]
    return len(own) <= LITTLE_WORDS
