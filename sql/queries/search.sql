-- Candidates for every sub-question at once: nearest by vector, and best by their words.
-- Each question brings up to %(limit)s of either; both scores stand on each, where there is one.
-- The function finds, as the owner; this statement reads, as the reader.
-- Index: rag_chunks_embedding_hnsw or rag_chunks_fallback_embedding_hnsw, rag_chunks_words.
SELECT f.place, f.keyword, f.semantic,
       {passage}
  FROM search_rag_chunks(
           %(vectors)s::vector[], %(indexes)s::text[], %(models)s::text[], %(words)s::text[], %(languages)s::text[],
           %(limit)s, %(version)s, %(visibilities)s,
           ROW(%(types)s::text[], %(scopes)s::text[], %(person_key)s::text, %(key_types)s::text[],
               %(key_names)s::text[], %(published_from)s::date, %(published_to)s::date)::rag_filter) AS f
  JOIN rag_chunks c ON c.id = f.chunk_id
  JOIN rag_sources s ON s.id = c.source_id
  CROSS JOIN LATERAL (
           SELECT m.path FROM corpus_manifest m WHERE m.version_id = %(version)s AND m.source_id = s.id OFFSET 0) AS m
 ORDER BY f.place, f.semantic DESC NULLS LAST, f.keyword DESC NULLS LAST, c.id
