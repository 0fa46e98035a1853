-- Passages that hold a term as it is written, those that say it most first.
-- Index: rag_chunks_words, where the term is not a stop word.
WITH held AS MATERIALIZED (
    SELECT chunk_id
      FROM match_rag_pattern(%(term)s, %(pattern)s, %(blind)s, 200, %(version)s, %(visibilities)s,
               ROW(%(types)s::text[], %(scopes)s::text[], %(person_key)s::text, %(key_types)s::text[],
                   %(key_names)s::text[], %(published_from)s::date, %(published_to)s::date)::rag_filter)
),
scored AS MATERIALIZED (
    SELECT chunk_id, keyword
      FROM score_rag_words(rag_terms_of(%(term)s, %(languages)s, %(version)s),
                           ARRAY(SELECT chunk_id FROM held), %(visibilities)s)
)
SELECT 1 AS place, f.keyword, NULL::double precision AS semantic,
       {passage}
  FROM held
  LEFT JOIN scored f USING (chunk_id)
  JOIN rag_chunks c ON c.id = held.chunk_id
  JOIN rag_sources s ON s.id = c.source_id
  CROSS JOIN LATERAL (
           SELECT m.path FROM corpus_manifest m WHERE m.version_id = %(version)s AND m.source_id = s.id OFFSET 0) AS m
 ORDER BY f.keyword DESC NULLS LAST, c.id
 LIMIT %(limit)s
