"""
An allow-listed page of others, reduced to the facts that the owner has approved.

The facts file names label, value and quote; a fact counts only while its quote stands in the page.
"""

import re
from collections.abc import Mapping
from typing import Any

from magpie.errors import DocumentRefused
from magpie.ingesting.cleaning import one_line
from magpie.ingesting.dates import parse_date
from magpie.ingesting.readers import html
from magpie.ingesting.readers.records import parse
from magpie.model import Document, Notice, Reading
from magpie.site import SourceRule


def read(document: Document, rule: SourceRule, companions: Mapping[str, Document]) -> tuple[Reading, ...]:
    """
    One reading of the approved facts; nothing else of the page enters it.

    Raises: DocumentRefused `no_facts`, `bad_facts`, `fact_not_in_page`.
    """
    if rule.facts not in companions:
        raise DocumentRefused(
            document.path, "no_facts", f"its facts file {rule.facts or '(none named)'} is not in the corpus"
        )
    approved, notices = parse(companions[rule.facts])
    page = _comparable(html.all_text(document))
    facts = _facts(document.path, approved)
    for fact in facts:
        _check(document.path, fact, page)
    return (_reading(approved, facts, notices),)


def _facts(path: str, approved: Any) -> list[Mapping[str, Any]]:
    facts = approved.get("facts") if isinstance(approved, Mapping) else approved
    if (
        not isinstance(facts, list)
        or not facts
        or not all(isinstance(fact, Mapping) and _has_all(fact) for fact in facts)
    ):
        raise DocumentRefused(
            path, "bad_facts", "its facts file must list facts, each with `label`, `value` and `quote`"
        )
    return facts


def _has_all(fact: Mapping[str, Any]) -> bool:
    return all(isinstance(fact.get(name), str) and fact[name].strip() for name in ("label", "value", "quote"))


def _check(path: str, fact: Mapping[str, Any], page: str) -> None:
    """The quote stands in the page, and the value in the quote."""
    quote, value = _comparable(fact["quote"]), _comparable(fact["value"])
    if quote not in page:
        raise DocumentRefused(
            path,
            "fact_not_in_page",
            f"the quote of the fact {fact['label']!r} is not in the page any more; approve it anew",
        )
    if value not in quote:
        raise DocumentRefused(
            path, "bad_facts", f"the value of the fact {fact['label']!r} is not in its quote"
        )


def _comparable(text: str) -> str:
    return re.sub(r"[\s\u00a0]+", " ", text).strip().casefold()


def _reading(approved: Any, facts: list[Mapping[str, Any]], notices: tuple[Notice, ...]) -> Reading:
    about = approved if isinstance(approved, Mapping) else {}
    captured = parse_date(about.get("captured_on"))
    return Reading(
        text="\n".join(f"- {_line(fact)}" for fact in facts),
        title=about.get("title") or None,
        published=captured,
        url=about.get("page_url") or None,
        fields={name: value for name, value in about.items() if name != "facts"},
        notices=notices,
    )


def _line(fact: Mapping[str, Any]) -> str:
    """`Tidewise, project budget: £420,000. "The project budget for Tidewise was £420,000."`"""
    subject = str(fact.get("subject") or fact.get("project") or "").strip()
    label = fact["label"].strip()
    named = f"{subject}, {label[:1].lower()}{label[1:]}" if subject else label
    return one_line(f"{named}: {fact['value']}. “{fact['quote'].strip()}”")
