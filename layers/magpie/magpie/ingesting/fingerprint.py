"""
Fingerprints that tell what must be done again.

    raw      the bytes of a file, with `rules_hash`: the file must be read again
    source   a normalised envelope, the path left out: the source has a new revision
    chunk    header and content: the chunk must be embedded again
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from magpie.model import Document, Source
from magpie.site import Chunking, Redaction, Site, SourceRule

ENVELOPE_VERSION = 1
READERS_VERSION = 3
"""Raise it when a reader gives other text or fields for the same bytes: every file is read once more."""
HALF = 32  # hex digits: 128 bits for either half of a rules' hash


def digest(value: Any) -> str:
    """SHA-256 of a JSON value, the same for the same value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def rules_hash(rules: Sequence[SourceRule], site: Site, companions: Iterable[Document] = ()) -> str:
    """All that decides what becomes of a file's bytes, but the bytes. Begins with `telling_hash`."""
    rest = digest(
        [
            READERS_VERSION,
            ENVELOPE_VERSION,
            [rule.model_dump(mode="json") for rule in rules],
            site.chunking.model_dump(mode="json"),
            site.site.url,
            site.site.languages,
            [(document.path, document.raw_hash) for document in companions],
        ]
    )
    return f"{telling_hash(rules, site)}{rest[:HALF]}"


def telling_hash(rules: Sequence[SourceRule], site: Site) -> str:
    """What decides who may be told which words of a file: visibility, origin, redaction, contacts."""
    told = [(rule.visibility, rule.origin, _redaction(rule, site), _visibility_field(rule)) for rule in rules]
    return digest([told, sorted(site.privacy.public_contacts)])[:HALF]


def is_told_alike(stored: str, rules: Sequence[SourceRule], site: Site) -> bool:
    """Whether what is stored under a `rules_hash` may be told as the rules now say."""
    return stored.startswith(telling_hash(rules, site))


def _redaction(rule: SourceRule, site: Site) -> Any:
    return (rule.redaction or site.redaction).model_dump(mode="json")


def _visibility_field(rule: SourceRule) -> str:
    return rule.records.visibility if rule.records else ""


def with_fingerprint(source: Source, chunking: Chunking, redaction: Redaction) -> Source:
    """The source with its `content_hash`."""
    envelope = {
        "version": ENVELOPE_VERSION,
        "key": str(source.key),
        "title": source.title,
        "url": source.url,
        "origin": source.origin,
        "scope": source.scope,
        "visibility": source.visibility,
        "language": source.language,
        "published": source.published.isoformat() if source.published else None,
        "person": source.person_key,
        "rank": source.reference_rank,
        "metadata": dict(source.metadata),
        "chunking": chunking.model_dump(mode="json"),
        "redaction": redaction.model_dump(mode="json"),
        "text": source.text,
    }
    return replace(source, content_hash=digest(envelope))


def text_hash(text: str) -> str:
    """Under this a text's vector is kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
