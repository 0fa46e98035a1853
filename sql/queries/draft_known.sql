-- Which of these revisions are stored already, with what of their vectors is missing.
-- Index: rag_sources_revision.
SELECT k.place, s.id,
       EXISTS (SELECT FROM rag_chunks c WHERE c.source_id = s.id AND (c.embedding IS NULL OR c.fallback_embedding IS NULL)) AS gaps
  FROM unnest(%(types)s::text[], %(names)s::text[], %(hashes)s::text[])
       WITH ORDINALITY AS k(source_type, source_key, content_hash, place)
  JOIN rag_sources s USING (source_type, source_key, content_hash)
