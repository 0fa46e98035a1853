"""
What one viewer may be told of what was found: nothing of another visibility, none of the site's
private names, and no sentence that gives an assistant orders.

Search and adapter have filtered by visibility before; this is the last look, before anything is
written. Private names meet it twice: in the evidence here, and in what a writer makes of it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from magpie.asking.trail import Trail
from magpie.model import Origin, Passage, RouteAnswer, Scope, Viewer, Visibility
from magpie.site import Site
from magpie.text.instructions import without_orders
from magpie.text.private_terms import PrivateTerm, PrivateTerms
from magpie.text.sentences import split


class Safety(StrEnum):
    """What became of private names in an answer, the gravest last; no state where none came up."""

    INTERNAL_NAMED = "internal_named"
    EXTERNAL_REDACTED = "external_redacted"
    EXTERNAL_REGENERATED = "external_regenerated"
    EXTERNAL_FALLBACK = "external_fallback"


_GRAVITY = {state: place for place, state in enumerate(Safety)}


def graver(one: Safety | None, other: Safety | None) -> Safety | None:
    """The one of two states that an answer is in."""
    return max((state for state in (one, other) if state), key=_GRAVITY.__getitem__, default=None)


def note(trail: Trail, state: Safety | None) -> None:
    """Keep the gravest state of an answer in its trace, and count each."""
    if state is not None:
        trail.facts["safety"] = graver(trail.facts.get("safety"), state)
        trail.count(f"safety_{state}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is left of what was found, and what was done to it."""

    answers: tuple[RouteAnswer, ...]
    safety: Safety | None = None
    withheld: int = 0
    """Passages that this viewer may not see; more than 0 means that a filter before us failed."""
    orders: int = 0
    """Passages that lost sentences which give orders."""


class Discretion:
    """One viewer's, on one site."""

    def __init__(self, terms: PrivateTerms, viewer: Viewer) -> None:
        self._terms = terms
        self._visibilities = viewer.visibilities
        self.is_insider = Visibility.INTERNAL in viewer.visibilities

    def names(self, text: str) -> bool:
        """Does the text hold a private name?"""
        return self._terms.names(text)

    def begins(self, text: str) -> bool:
        """Could a private name begin at the end of the text? Never for an insider, who may be told."""
        return not self.is_insider and self._terms.begins(text)

    def redacted(self, text: str) -> str | None:
        """The text as this viewer may be told it; None where that can't be done by replacing names."""
        return text if self.is_insider else self._terms.redacted(text)

    def blanked(self, text: str) -> str:
        """The text with a gap in place of every private name."""
        return self._terms.blanked(text)

    def is_asked_for(self, texts: Iterable[str]) -> bool:
        """Does a guest ask about a private name? Any answer but "ask a person" would confirm something."""
        return not self.is_insider and any(map(self._terms.names, texts))

    def look(self, answers: Iterable[RouteAnswer]) -> Seen:
        """All that was found, as this viewer may know it."""
        looked = [self._answer(answer) for answer in answers]
        return Seen(
            answers=tuple(answer for answer, _, _, _ in looked),
            safety=max((state for _, state, _, _ in looked if state), default=None, key=_GRAVITY.__getitem__),
            withheld=sum(withheld for _, _, withheld, _ in looked),
            orders=sum(orders for _, _, _, orders in looked),
        )

    def _answer(self, answer: RouteAnswer) -> tuple[RouteAnswer, Safety | None, int, int]:
        allowed = [one for one in answer.passages if one.visibility in self._visibilities]
        calm = [_without_orders(one) for one in allowed]
        told = [one for passage in calm if (one := self._passage(passage))]
        direct = self.redacted(answer.direct) or ""
        choices = tuple(choice for choice in answer.choices if self.redacted(choice) == choice)
        state = None
        if not self.is_insider and (told != calm or direct != answer.direct or choices != answer.choices):
            state = Safety.EXTERNAL_REDACTED
        seen = replace(answer, passages=tuple(told), direct=direct, choices=choices)
        return (
            seen,
            state,
            len(answer.passages) - len(allowed),
            sum(one is not other for one, other in zip(calm, allowed, strict=True)),
        )

    def _passage(self, passage: Passage) -> Passage | None:
        """The passage without private names; None where its very title is one that has no public words."""
        if self.is_insider or not self._terms:
            return passage
        title, content = self.redacted(passage.title), self._content(passage.content)
        metadata = {name: value for name, value in passage.metadata.items() if not self.names(str(value))}
        place = (passage.url or "", str(passage.key), passage.path)
        if not title or not content.strip():
            return None
        if any(map(self.names, (*place, passage.title))):
            # Neither its address nor its key may be shown, so it proves without being cited.
            return replace(
                passage, title=title, content=content, url=None, metadata={**metadata, "citable": False}
            )
        if content == passage.content and len(metadata) == len(passage.metadata):
            return passage
        return replace(passage, content=content, metadata=metadata)

    def _content(self, content: str) -> str:
        """Sentence by sentence: a name with public words is replaced, any other takes its sentence with it."""
        if not self.names(content):
            return content
        whole = self.redacted(content)
        if whole is not None:
            return whole
        left = "".join(self.redacted(piece) or "" for piece in split(content))
        return left if not self.names(left) else ""


def terms_of(site: Site) -> PrivateTerms:
    """The site file's private names."""
    return PrivateTerms(
        PrivateTerm(name=name, instead=term.instead)
        for term in site.privacy.private_terms
        for name in (term.name, *term.also)
    )


def _without_orders(passage: Passage) -> Passage:
    """The owner's own rules for the assistant are orders by right; anybody else's are none of ours."""
    if passage.origin is Origin.POLICY or passage.scope is Scope.ASSISTANT:
        return passage
    calm = without_orders(passage.content)
    return passage if calm == passage.content else replace(passage, content=calm)
