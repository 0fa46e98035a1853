"""A plan without a model: the parts of the question, each standing on its own."""

from magpie.asking.extractive.concepts import translations
from magpie.asking.extractive.referring import points, refers_back, spoken_before, topic, topic_before
from magpie.asking.extractive.wants import want_of
from magpie.asking.parts import parts_of
from magpie.asking.routes.unknown import names_in
from magpie.asking.routes.words import hears
from magpie.model import Mode, Plan, PlanItem, Question
from magpie.site import Site
from magpie.text.language import detect
from magpie.text.stems import fold, raw_words, stop_words

GLOSS = "gloss"
"""The entity of an item that only repeats the question in the corpus' language, for the search."""
HEADS = "managing director, chief executive, founder, owner"
"""What pages call whoever runs the company: none of it stands in `Who is your boss?`"""


class ExtractivePlanner:
    """Deterministic: splits a compound question, and lends a part that refers back what it refers to."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def plan(self, question: Question) -> Plan:
        """At most six items; one item with the visitor's words where there is nothing to split."""
        parts = parts_of(question.text)
        before = topic_before(question, self._site)
        items = (
            [_item(part, "") for part in parts[:1]]
            if not refers_back(parts[0], before, spoken_before(question))
            else [_item(parts[0], before)]
        )
        context = topic(parts[0]) if len(parts) > 1 else ""
        items += [_item(part, context if leans(part) else "") for part in parts[1:]]
        if glossed := gloss(question.text, self._site.site.corpus_language):
            items.append(PlanItem(query=glossed, entity=GLOSS))
        if "head" in want_of(question.text).also:
            items.append(PlanItem(query=HEADS, entity=GLOSS))
        return Plan(items=tuple(items), decided_by="rules")


def gloss(text: str, corpus_language: str) -> str:
    """The question word by word in the corpus' language, as far as we know its ideas; empty where that is not far."""
    language = detect(text)
    if language is None or language == corpus_language:
        return ""
    stop, names = stop_words(language), names_in(text, language)
    words = [word for word in raw_words(text) if fold(word) not in stop]
    told = [() if word in names else translations(word, language, corpus_language) for word in words]
    if not any(told):
        return ""
    return " ".join(" ".join(known) if known else word for known, word in zip(told, words, strict=True))


def leans(part: str) -> bool:
    """Whether a later part of a question needs the first: it points, or hardly says what it is about."""
    return points(part) or len(topic(part).split()) <= 1


def _item(query: str, subject: str) -> PlanItem:
    mode = Mode.ARTICLE_DISCOVERY if hears("seeks_articles", query) else Mode.DIRECT_EVIDENCE
    standing = f"{subject}: {query}" if subject else query
    return PlanItem(query=standing, mode=mode, subject=subject)
