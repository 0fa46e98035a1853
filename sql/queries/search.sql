-- Candidates for every sub-question at once: nearest by vector, and best by their words.
-- Each question brings up to %(limit)s of either; both scores stand on each, where there is one.
-- Index: rag_chunks_embedding_hnsw or rag_chunks_fallback_embedding_hnsw, rag_chunks_words.
WITH asked AS MATERIALIZED (
    SELECT q.place, q.vector, q.index, rag_terms_of(q.words, string_to_array(q.languages, ','), %(version)s) AS terms
      FROM unnest(%(vectors)s::vector[], %(indexes)s::text[], %(models)s::text[], %(words)s::text[], %(languages)s::text[])
           WITH ORDINALITY AS q(vector, index, model, words, languages, place)
     WHERE rag_same_model(q.index, q.model)
),
filter AS MATERIALIZED (
    SELECT ROW(%(types)s::text[], %(scopes)s::text[], %(person_key)s::text, %(key_types)s::text[],
               %(key_names)s::text[], %(published_from)s::date, %(published_to)s::date)::rag_filter AS narrow
),
near AS MATERIALIZED (
    SELECT a.place, m.chunk_id, row_number() OVER (PARTITION BY a.place ORDER BY m.similarity DESC) AS rank
      FROM asked a, filter f, match_rag_chunks(a.vector, 100, %(version)s, %(visibilities)s, f.narrow) AS m
     WHERE a.index = 'primary' AND a.vector IS NOT NULL
    UNION ALL
    SELECT a.place, m.chunk_id, row_number() OVER (PARTITION BY a.place ORDER BY m.similarity DESC)
      FROM asked a, filter f, match_rag_chunks_fallback(a.vector, 100, %(version)s, %(visibilities)s, f.narrow) AS m
     WHERE a.index = 'fallback' AND a.vector IS NOT NULL
),
worded AS (
    SELECT a.place, m.chunk_id
      FROM asked a, filter f,
           match_rag_words(a.terms, 100, a.vector IS NULL, %(version)s, %(visibilities)s, f.narrow) AS m
),
candidates AS (
    SELECT place, array_agg(chunk_id) AS ids
      FROM (SELECT place, chunk_id FROM near UNION SELECT place, chunk_id FROM worded) AS either
     GROUP BY place
),
scored AS MATERIALIZED (
    SELECT a.place, s.chunk_id, s.keyword, row_number() OVER (PARTITION BY a.place ORDER BY s.keyword DESC, s.chunk_id) AS rank
      FROM asked a JOIN candidates c USING (place), score_rag_words(a.terms, c.ids, %(visibilities)s) AS s
),
found AS MATERIALIZED (
    SELECT place, chunk_id, keyword FROM near n FULL JOIN scored s USING (place, chunk_id)
     WHERE n.rank <= %(limit)s OR s.rank <= %(limit)s
)
SELECT f.place, f.keyword,
       1 - CASE a.index WHEN 'primary' THEN c.embedding <=> a.vector ELSE c.fallback_embedding <=> a.vector END AS semantic,
       {passage}
  FROM found f
  JOIN asked a USING (place)
  JOIN rag_chunks c ON c.id = f.chunk_id
  JOIN rag_sources s ON s.id = c.source_id
  JOIN corpus_manifest m ON m.source_id = s.id AND m.version_id = %(version)s
 ORDER BY f.place, semantic DESC NULLS LAST, f.keyword DESC NULLS LAST, c.id
