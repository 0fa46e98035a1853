-- Fallback vectors that were missing; one that came meanwhile stays.
UPDATE rag_chunks c SET fallback_embedding = given.vector
  FROM unnest(%(chunks)s::bigint[], %(vectors)s::vector[]) AS given(chunk_id, vector)
 WHERE c.id = given.chunk_id AND c.fallback_embedding IS NULL
