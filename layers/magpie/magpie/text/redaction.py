"""
Redaction: secrets always, personal data by the source's policy.

`redact` replaces what it finds by `[redacted kind]`, and says where it stood in the text that came in. It looks
again until nothing is left, so redacting twice changes nothing. `survivors` is the last look of whoever stores the
text: an answer that is not empty fails the document.
"""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from magpie.text.addresses import find_addresses
from magpie.text.emails import find_emails, same_email
from magpie.text.handles import find_handles
from magpie.text.identifiers import find_identifiers
from magpie.text.introductions import find_introductions
from magpie.text.literals import find_literals
from magpie.text.nationalities import find_nationalities
from magpie.text.obfuscation import Span, View, united, view
from magpie.text.personal import find_birth_dates, find_details, find_profiles
from magpie.text.phones import REGIONS, find_phones, same_phone
from magpie.text.secrets import find_secrets

PolicyName = Literal["none", "public", "cv", "visitor"]
_MOST_PASSES = 6


@dataclass(frozen=True, slots=True)
class Found:
    """Something to redact: its kind, and where it stands in the original text (code points)."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A text without what was found in it."""

    text: str
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionPolicy:
    """
    What goes. `none`: secrets. `public`: also e-mails, phones, identity numbers, cards and IBANs, except the
    `public_contacts`. `cv`: also the `literals` and everything personal; there no contact is public. `visitor`,
    for what a visitor writes: as `cv`, and the names of those who introduce themselves.
    """

    name: PolicyName
    literals: tuple[str, ...] = ()
    public_contacts: tuple[str, ...] = ()
    region_hints: tuple[str, ...] = REGIONS


def redact(text: str, policy: RedactionPolicy) -> Redacted:
    """Replace everything that the policy names."""
    state = _State(text)
    for _ in range(_MOST_PASSES):
        spans = _scan(state.text, policy)
        if not spans:
            break
        state = state.without(spans)
    return Redacted(text=state.text, found=state.found)


def survivors(text: str, policy: RedactionPolicy) -> tuple[Found, ...]:
    """What is still to be found in a redacted text; offsets are in that text."""
    return tuple(Found(*span) for span in _scan(text, policy))


def report(found: tuple[Found, ...]) -> dict[str, int]:
    """How often each kind was found; never what."""
    return dict(sorted(Counter(one.kind for one in found).items()))


def placeholder(kind: str) -> str:
    """What stands in place of something redacted."""
    return f"[redacted {kind.replace('_', ' ')}]"


# --- Looking ------------------------------------------------------------------------------------


def _scan(text: str, policy: RedactionPolicy) -> tuple[Span, ...]:
    """Everything that the policy names, in places of `text`, in order and apart."""
    plain = view(text)
    spans = [span for span in _spans(plain, text, policy) if _has_content(plain.text, span)]
    return united([(kind, *plain.source_span(start, end)) for kind, start, end in _whole_masks(plain, spans)])


def _spans(plain: View, source: str, policy: RedactionPolicy) -> list[Span]:
    text = plain.text
    fixed = list(find_secrets(text))
    literals = list(find_literals(plain, source, policy.literals)) if policy.literals else []
    if policy.name == "none":
        return fixed + literals
    fixed += literals + list(find_identifiers(text))
    contacts = [*find_emails(text), *find_phones(text, policy.region_hints, united(fixed))]
    if policy.name == "public":
        return fixed + [span for span in contacts if not _is_public(text, span, policy)]
    return [
        *fixed,
        *contacts,
        *find_addresses(text),
        *find_birth_dates(text),
        *find_details(text),
        *find_nationalities(text),
        *find_profiles(text),
        *find_handles(text),
        *(find_introductions(text) if policy.name == "visitor" else ()),
    ]


def _has_content(text: str, span: Span) -> bool:
    """Placeholders alone are nothing to redact."""
    return any(char.isalnum() for char in text[span[1] : span[2]])


def _whole_masks(plain: View, spans: list[Span]) -> list[Span]:
    """A span that reaches into a placeholder takes all of it."""
    return [(kind, _mask_start(plain.text, start), _mask_end(plain.text, end)) for kind, start, end in spans]


def _mask_start(text: str, start: int) -> int:
    while start > 0 and text[start] in _MASKS and text[start - 1] in _MASKS:
        start -= 1
    return start


def _mask_end(text: str, end: int) -> int:
    while end < len(text) and text[end - 1] in _MASKS and text[end] in _MASKS:
        end += 1
    return end


_MASKS = "\ue000\ue001"


def _is_public(text: str, span: Span, policy: RedactionPolicy) -> bool:
    kind, start, end = span
    if kind == "email":
        return same_email(text[start:end]) in _public_emails(policy.public_contacts)
    return bool(
        same_phone(text[start:end], policy.region_hints)
        & _public_phones(policy.public_contacts, policy.region_hints)
    )


@lru_cache(maxsize=64)
def _public_emails(contacts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(same_email(view(contact).text) for contact in contacts)


@lru_cache(maxsize=64)
def _public_phones(contacts: tuple[str, ...], regions: tuple[str, ...]) -> frozenset[str]:
    phones = (view(contact).text for contact in contacts if "@" not in contact)
    return frozenset(form for phone in phones for form in same_phone(phone, regions) if form)


# --- Replacing ----------------------------------------------------------------------------------


class _State:
    """A text on its way, and what of the original each placeholder stands for."""

    def __init__(self, original: str, text: str | None = None, found: tuple[Found, ...] = ()) -> None:
        self.found = found
        self.text = original if text is None else text
        self._original = original
        self._shifts = _shifts(found)

    def without(self, spans: tuple[Span, ...]) -> "_State":
        """The state after these spans, which are places of the present text, are gone."""
        new = [(kind, self._original_place(start), self._original_place(end)) for kind, start, end in spans]
        old = [(one.kind, one.start, one.end) for one in self.found]
        found = tuple(Found(*span) for span in united(old + new))
        return _State(self._original, _replaced(self._original, found), found)

    def _original_place(self, place: int) -> int:
        """Where a place outside of placeholders, or at the edge of one, lies in the original."""
        ends, shifts = self._shifts
        return place + shifts[bisect_right(ends, place)]


def _shifts(found: tuple[Found, ...]) -> tuple[list[int], list[int]]:
    """Ends of placeholders in the redacted text, and what to add to a place after each to be in the original."""
    ends, shifts = [], [0]
    for one in found:
        start = one.start - shifts[-1]
        ends.append(start + len(placeholder(one.kind)))
        shifts.append(one.end - ends[-1])
    return ends, shifts


def _replaced(text: str, found: tuple[Found, ...]) -> str:
    parts, position = [], 0
    for one in found:
        parts += [text[position : one.start], placeholder(one.kind)]
        position = one.end
    return "".join([*parts, text[position:]])
