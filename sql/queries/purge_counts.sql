-- What a purge of one source will take away.
SELECT coalesce(array_agg(s.id), '{}') AS revisions, coalesce(sum(s.chunk_count), 0) AS chunks,
       (SELECT count(DISTINCT m.version_id) FROM corpus_manifest m JOIN rag_sources n ON n.id = m.source_id
         WHERE n.source_type = %(source_type)s AND n.source_key = %(source_key)s) AS versions
  FROM rag_sources s
 WHERE s.source_type = %(source_type)s AND s.source_key = %(source_key)s
