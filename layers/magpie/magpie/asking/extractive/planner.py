"""A plan without a model: the parts of the question, each standing on its own."""

import re

from magpie.asking.extractive.concepts import translations
from magpie.asking.parts import parts_of
from magpie.asking.routes.words import hears
from magpie.model import Mode, Plan, PlanItem, Question, Turn
from magpie.site import Site
from magpie.text.language import detect
from magpie.text.stems import fold, raw_words, stop_words

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
LITTLE_WORDS = 2
MOST_CONTEXT_WORDS = 8


GLOSS = "gloss"
"""The entity of an item that only repeats the question in the corpus' language, for the search."""


class ExtractivePlanner:
    """Deterministic: splits a compound question, and lends a part that refers back what it refers to."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def plan(self, question: Question) -> Plan:
        """At most six items; one item with the visitor's words where there is nothing to split."""
        parts = parts_of(question.text)
        before = _before(question)
        items = (
            [_item(part, "") for part in parts[:1]]
            if not refers_back(parts[0], before)
            else [_item(parts[0], topic(before))]
        )
        context = topic(parts[0]) if len(parts) > 1 else ""
        items += [_item(part, context if leans(part) else "") for part in parts[1:]]
        if glossed := gloss(question.text, self._site.site.corpus_language):
            items.append(PlanItem(query=glossed, entity=GLOSS))
        return Plan(items=tuple(items), decided_by="rules")


def gloss(text: str, corpus_language: str) -> str:
    """The question word by word in the corpus' language, as far as we know its ideas; empty where that is not far."""
    language = detect(text)
    if language is None or language == corpus_language:
        return ""
    stop = stop_words(language)
    words = [word for word in raw_words(text) if fold(word) not in stop]
    told = [translations(word, language, corpus_language) for word in words]
    if not any(told):
        return ""
    return " ".join(" ".join(known) if known else word for known, word in zip(told, words, strict=True))


def refers_back(text: str, before: str) -> bool:
    """Whether a message needs an earlier one: it begins with `and` or points, and says little of its own."""
    if not before:
        return False
    says_little = len(topic(text).split()) <= LITTLE_WORDS
    return says_little and (_BEGINS.match(text) is not None or _REFERS.search(text) is not None)


def leans(part: str) -> bool:
    """Whether a later part of a question needs the first: it points, or hardly says what it is about."""
    return _REFERS.search(part) is not None or len(topic(part).split()) <= 1


def topic(text: str) -> str:
    """The words of a text that say what it is about, as they stand."""
    language = detect(text) or "en"
    stop = stop_words(language)
    kept = [word for word in raw_words(text) if fold(word) not in stop and not word.isdigit()]
    return " ".join(kept[:MOST_CONTEXT_WORDS])


def _before(question: Question) -> str:
    """The visitor's last message before this one."""
    own: list[Turn] = [turn for turn in question.history if turn.role == "user"]
    return own[-1].text if own else ""


def _item(query: str, subject: str) -> PlanItem:
    mode = Mode.ARTICLE_DISCOVERY if hears("seeks_articles", query) else Mode.DIRECT_EVIDENCE
    standing = f"{subject}: {query}" if subject else query
    return PlanItem(query=standing, mode=mode, subject=subject)
