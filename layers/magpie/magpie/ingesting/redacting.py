"""
Personal data and secrets by a source's policy, before anything is kept.

Secrets go everywhere. A survivor in a source that declares redaction refuses that document.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from magpie.errors import DocumentRefused
from magpie.ingesting.sources import placed, source_of
from magpie.model import Document, Heading, Notice, Origin, Reading, Scope, Source
from magpie.site import Redaction, Site, SourceRule
from magpie.text.redaction import Found, RedactionPolicy, redact, report, survivors


def may_be_read(path: str, rule: SourceRule, site: Site) -> None:
    """
    A CV counts only when a person has read it, and never where the web server would show it whole.

    Raises: DocumentRefused `not_approved`, `public_folder`.
    """
    redaction = rule.redaction or site.redaction
    if redaction.policy != "cv":
        return
    if not redaction.approved:
        reason = "is a CV that nobody has approved; read it, then set `approved: true` in its rule"
        raise DocumentRefused(path, "not_approved", reason)
    if "public" in path.lower().split("/")[:-1]:
        raise DocumentRefused(path, "public_folder", "is a CV inside a public folder; move it out of there")


def redacted(source: Source, rule: SourceRule, site: Site) -> Source:
    """
    The source without what its policy hides, in text, title, headings and metadata.

    Raises: DocumentRefused `redaction_survivor`.
    """
    policy = _policy(source, rule.redaction or site.redaction, site)
    hidden = _Redactor(policy)
    text, title = hidden.text(source.text), hidden.text(source.title)
    metadata = {name: hidden.value(value) for name, value in source.metadata.items()}
    if rule.redaction is not None or policy.name == "cv":
        _check(source.path, policy, text, title, metadata)
    if not hidden.found:
        return source
    return replace(
        source,
        text=text,
        title=title,
        metadata=metadata,
        headings=_headings(source.headings, text),
        notices=(*source.notices, _notice(hidden.found)),
    )


def as_stored(reading: Reading, document: Document, rule: SourceRule, site: Site) -> Reading:
    """
    The reading as a source of this site would have it.

    Raises: DocumentRefused for all that a run would refuse it for.
    """
    source = redacted(source_of(reading, document, rule, site), rule, site)
    return replace(
        reading,
        text=source.text,
        title=source.title,
        language=source.language,
        url=source.url,
        headings=source.headings,
        notices=source.notices,
    )


def without_secrets(reading: Reading) -> Reading:
    """The reading without what no policy lets stand: all that can be said where no site is known."""
    hidden = _Redactor(RedactionPolicy(name="none"))
    text, title = hidden.text(reading.text), hidden.text(reading.title or "")
    if not hidden.found:
        return reading
    return replace(
        reading,
        text=text,
        title=title or None,
        headings=_headings(reading.headings, text),
        notices=(*reading.notices, _notice(hidden.found)),
    )


def _policy(source: Source, redaction: Redaction, site: Site) -> RedactionPolicy:
    """Contacts are public on the company's own pages; of a person they never are."""
    is_personal = source.scope == Scope.PERSON or source.origin == Origin.PRIVATE_PROFILE
    return RedactionPolicy(
        name=redaction.policy,
        literals=redaction.literals,
        public_contacts=() if is_personal else site.privacy.public_contacts,
    )


class _Redactor:
    """One policy, and all that was found under it."""

    def __init__(self, policy: RedactionPolicy) -> None:
        self._policy = policy
        self.found: tuple[Found, ...] = ()

    def text(self, text: str) -> str:
        result = redact(text, self._policy)
        self.found += result.found
        return result.text

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        return [self.value(item) for item in value] if isinstance(value, list) else value


def _check(path: str, policy: RedactionPolicy, text: str, title: str, metadata: Mapping[str, Any]) -> None:
    words = [title, *(str(value) for value in metadata.values())]
    left = (*survivors(text, policy), *(one for word in words for one in survivors(word, policy)))
    if left:
        kinds = ", ".join(report(left))
        raise DocumentRefused(
            path, "redaction_survivor", f"still holds personal data after redaction ({kinds})"
        )


def _headings(headings: tuple[Heading, ...], text: str) -> tuple[Heading, ...]:
    """As they read now: a heading may have held what was hidden."""
    return tuple(replace(heading, text=_line(text, heading)) for heading in placed(headings, text))


def _line(text: str, heading: Heading) -> str:
    match = re.compile(rf"{'#' * heading.level} (.*)").match(text, heading.start)
    return match[1] if match else heading.text


def _notice(found: tuple[Found, ...]) -> Notice:
    counts = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in report(found).items())
    return Notice(code="redacted", message=f"was redacted: {counts}")
