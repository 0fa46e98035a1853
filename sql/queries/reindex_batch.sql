-- Chunks without a vector of the next model, with the text that is embedded; in a lasting order.
SELECT c.id, {embedding_text} AS text
  FROM rag_chunks c
 WHERE c.next_{column} IS NULL AND c.id > %(after)s
 ORDER BY c.id
 LIMIT %(limit)s
