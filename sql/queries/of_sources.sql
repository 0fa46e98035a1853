-- Chunks of named sources, in the order of the names, then of the text.
-- Index: rag_sources_revision, rag_chunks_position.
SELECT k.place, NULL::double precision AS keyword, NULL::double precision AS semantic,
       {passage}
  FROM unnest(%(key_types)s::text[], %(key_names)s::text[]) WITH ORDINALITY AS k(source_type, source_key, place)
  JOIN rag_sources s USING (source_type, source_key)
  CROSS JOIN LATERAL (
           SELECT m.path FROM corpus_manifest m WHERE m.version_id = %(version)s AND m.source_id = s.id OFFSET 0) AS m
  JOIN rag_chunks c ON c.source_id = s.id
 WHERE (c.chunk_index = 0 OR NOT %(first_only)s) AND s.visibility = ANY (%(visibilities)s)
 ORDER BY k.place, c.chunk_index
