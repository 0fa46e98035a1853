-- What a draft holds, and whether it is what it says: chunks counted where they are new.
SELECT count(*) AS sources,
       coalesce(sum(s.chunk_count), 0) AS chunks,
       count(*) - count(DISTINCT (s.source_type, s.source_key)) AS twice,
       count(*) FILTER (WHERE p.source_id IS NULL AND s.chunk_count <>
           (SELECT count(*) FROM rag_chunks c WHERE c.source_id = s.id)) AS broken
  FROM corpus_manifest m
  JOIN rag_sources s ON s.id = m.source_id
  LEFT JOIN corpus_manifest p ON p.version_id = %(parent)s AND p.source_id = m.source_id
 WHERE m.version_id = %(version)s
