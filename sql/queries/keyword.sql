-- Passages with any of the words, best BM25 first; what is looked at stays bounded.
-- Index: rag_chunks_words.
WITH asked AS MATERIALIZED (
    SELECT rag_terms_of(%(words)s, %(languages)s, %(version)s) AS terms
),
scored AS MATERIALIZED (
    SELECT s.chunk_id, s.keyword
      FROM asked a,
           score_rag_words(a.terms, ARRAY(
               SELECT chunk_id FROM match_rag_words(a.terms, 1000, true, %(version)s, %(visibilities)s,
                   ROW(%(types)s::text[], %(scopes)s::text[], %(person_key)s::text, %(key_types)s::text[],
                       %(key_names)s::text[], %(published_from)s::date, %(published_to)s::date)::rag_filter)),
               %(visibilities)s) AS s
     ORDER BY s.keyword DESC, s.chunk_id
     LIMIT %(limit)s
)
SELECT 1 AS place, f.keyword, NULL::double precision AS semantic,
       {passage}
  FROM scored f
  JOIN rag_chunks c ON c.id = f.chunk_id
  JOIN rag_sources s ON s.id = c.source_id
  CROSS JOIN LATERAL (
           SELECT m.path FROM corpus_manifest m WHERE m.version_id = %(version)s AND m.source_id = s.id OFFSET 0) AS m
 ORDER BY f.keyword DESC, c.id
