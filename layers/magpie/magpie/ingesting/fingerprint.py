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
READERS_VERSION = 1
"""Raise it when a reader gives other text for the same bytes: every file is read once more."""


def digest(value: Any) -> str:
    """SHA-256 of a JSON value, the same for the same value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def rules_hash(rules: Sequence[SourceRule], site: Site, companions: Iterable[Document] = ()) -> str:
    """All that decides what becomes of a file's bytes, but the bytes."""
    return digest(
        [
            READERS_VERSION,
            ENVELOPE_VERSION,
            [rule.model_dump(mode="json") for rule in rules],
            site.chunking.model_dump(mode="json"),
            site.redaction.model_dump(mode="json"),
            site.site.url,
            site.site.languages,
            sorted(site.privacy.public_contacts),
            [(document.path, document.raw_hash) for document in companions],
        ]
    )


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
