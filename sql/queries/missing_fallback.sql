-- Chunks without a fallback vector, in a lasting order, so that a run can stop anywhere.
-- Index: rag_chunks_no_fallback.
SELECT c.id, {embedding_text} AS text
  FROM rag_chunks c
 WHERE c.fallback_embedding IS NULL
 ORDER BY c.id
 LIMIT %(limit)s
