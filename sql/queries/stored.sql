-- What a version holds of each source: enough to see whether it changed.
SELECT s.id AS revision_id, s.source_type, s.source_key, m.path, s.content_hash, m.raw_hash, m.rules_hash, s.chunk_count
  FROM corpus_manifest m JOIN rag_sources s ON s.id = m.source_id
 WHERE m.version_id = %(version)s
 ORDER BY s.source_type, s.source_key
