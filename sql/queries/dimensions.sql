-- How many numbers each index' vectors have; -1: not decided yet.
SELECT attname AS name, atttypmod AS dimension
  FROM pg_attribute
 WHERE attrelid = 'rag_chunks'::regclass AND attname IN ('embedding', 'fallback_embedding')
