"""Rows become values, values become arguments."""

from collections.abc import Mapping
from typing import Any

from psycopg.types.json import Jsonb

from magpie.model import (
    ChunkId,
    EmbeddingModel,
    Language,
    Origin,
    Passage,
    RevisionId,
    Scope,
    SourceKey,
    StoredSource,
    Version,
    VersionId,
    Visibility,
)
from magpie.ports import SearchFilter, SourceRow

Row = Mapping[str, Any]


def key_of(row: Row) -> SourceKey:
    return SourceKey(source_type=row["source_type"], source_key=row["source_key"])


def passage_from_row(row: Row) -> Passage:
    return Passage(
        chunk_id=ChunkId(row["chunk_id"]),
        revision_id=RevisionId(row["revision_id"]),
        key=key_of(row),
        path=row["path"],
        title=row["title"],
        url=row["url"],
        content=row["content"],
        index=row["chunk_index"],
        origin=Origin(row["origin"]),
        scope=Scope(row["scope"]),
        visibility=Visibility(row["visibility"]),
        language=Language(row["language"]),
        published=row["published"],
        person_key=row["person_key"],
        reference_rank=row["reference_rank"],
        metadata=row["metadata"],
        content_hash=row["content_hash"],
        semantic=row["semantic"],
        keyword=row["keyword"],
    )


def source_row_from_row(row: Row) -> SourceRow:
    return SourceRow(
        key=key_of(row),
        title=row["title"],
        url=row["url"],
        path=row["path"],
        scope=Scope(row["scope"]),
        published=row["published"],
        person_key=row["person_key"],
        reference_rank=row["reference_rank"],
        metadata=row["metadata"],
    )


def stored_source_from_row(row: Row) -> StoredSource:
    return StoredSource(
        revision_id=RevisionId(row["revision_id"]),
        key=key_of(row),
        path=row["path"],
        content_hash=row["content_hash"],
        raw_hash=row["raw_hash"],
        rules_hash=row["rules_hash"],
        chunk_count=row["chunk_count"],
    )


def version_from_row(row: Row) -> Version:
    parent = row["parent_id"]
    return Version(
        id=VersionId(row["id"]),
        parent_id=None if parent is None else VersionId(parent),
        created_at=row["created_at"],
        source_count=row["source_count"],
        chunk_count=row["chunk_count"],
        primary=model_from_json(row["primary_model"]),
        fallback=model_from_json(row["fallback_model"]),
        site_hash=row["site_hash"],
        active=row["active"],
        note=row["note"],
    )


def model_from_json(value: Mapping[str, Any] | None) -> EmbeddingModel | None:
    return None if value is None else EmbeddingModel(**value)


def model_to_json(model: EmbeddingModel | None) -> Jsonb | None:
    if model is None:
        return None
    fields = ("provider", "name", "dimension", "query_prefix", "passage_prefix")
    return Jsonb({name: getattr(model, name) for name in fields})


def filter_arguments(narrow: SearchFilter) -> dict[str, Any]:
    """What `rag_filter` is made of; None where nothing narrows."""
    keys = sorted(narrow.keys, key=str)
    return {
        "types": sorted(narrow.source_types) or None,
        "scopes": sorted(narrow.scopes) or None,
        "person_key": narrow.person_key,
        "key_types": [key.source_type for key in keys] or None,
        "key_names": [key.source_key for key in keys] or None,
        "published_from": narrow.published_from,
        "published_to": narrow.published_to,
    }
