-- What sources a version has, without their texts.
SELECT s.source_type, s.source_key, s.title, s.url, m.path, s.scope, s.visibility, s.published, s.person_key,
       s.reference_rank, s.metadata
  FROM corpus_manifest m JOIN rag_sources s ON s.id = m.source_id
 WHERE m.version_id = %(version)s AND s.visibility = ANY (%(visibilities)s)
 ORDER BY s.source_type, s.source_key
