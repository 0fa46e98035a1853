-- How many chunks each group of a draft has.
INSERT INTO corpus_groups (version_id, visibility, source_type, scope, language, chunks)
SELECT m.version_id, s.visibility, s.source_type, s.scope, s.language, sum(s.chunk_count)
  FROM corpus_manifest m JOIN rag_sources s ON s.id = m.source_id
 WHERE m.version_id = %(version)s
 GROUP BY 1, 2, 3, 4, 5
