-- The columns of a version; stands where a query says {version}.
v.id, v.parent_id, v.created_at, v.source_count, v.chunk_count, v.primary_model, v.fallback_model,
       v.site_hash, v.note, EXISTS (SELECT FROM corpus_active a WHERE a.version_id = v.id) AS active
