"""
What stands beside an answer and no model decides: buttons and articles worth reading.
"""

from collections.abc import Mapping, Sequence

from magpie.asking.hearing import folded
from magpie.asking.links import may_link
from magpie.model import Action, Citation, Passage, Recommendation
from magpie.site import Site

MOST_RECOMMENDATIONS = 3
WORTH = 0.5  # of the best score found: a weaker article is no answer to this question


def holds_any(text: str, words: Sequence[str]) -> bool:
    """True when any of the words or phrases stands in the text, whole."""
    padded = f" {folded(text)} "
    return any(f" {folded(word)} " in padded for word in words)


def actions_for(text: str, site: Site, language: str) -> tuple[Action, ...]:
    """The buttons whose words stand in the visitor's own question."""
    rules = [
        rule for rule in site.actions if holds_any(text, rule.words) and may_link(rule.url, site.own_hosts)
    ]
    return tuple(
        Action(label=worded(rule.labels, language), url=rule.url, kind=rule.kind)
        for rule in rules
        if rule.labels
    )


def worded(by_language: Mapping[str, str], language: str) -> str:
    """The words in the language, in English where there are none, else the first there are; may be empty."""
    words = by_language
    return words.get(language) or words.get("en") or next(iter(words.values()), "")


def recommendations_for(
    passages: Sequence[Passage], cited: Sequence[Citation], site: Site, page_path: str
) -> tuple[Recommendation, ...]:
    """Articles that were found and not cited, best first, one a page, never the one that is open."""
    best = max((passage.score for passage in passages), default=0.0)
    taken = {citation.url for citation in cited}
    found: dict[str, Recommendation] = {}
    for passage in passages:
        url = passage.url
        is_worth_it = passage.key.source_type in site.recommend and passage.score >= WORTH * best
        if not is_worth_it or not url or url in taken or (page_path and url.endswith(page_path)):
            continue
        found.setdefault(url, Recommendation(title=passage.title, url=url, published=passage.published))
    return tuple(found.values())[:MOST_RECOMMENDATIONS]
