-- A revision that is known already gains the vectors that it lacked; nothing that is there changes.
UPDATE rag_chunks c
   SET embedding = coalesce(c.embedding, given.embedding),
       fallback_embedding = coalesce(c.fallback_embedding, given.fallback)
  FROM unnest(%(sources)s::bigint[], %(indexes)s::integer[], %(primaries)s::vector[], %(fallbacks)s::vector[])
       AS given(source_id, chunk_index, embedding, fallback)
 WHERE c.source_id = given.source_id AND c.chunk_index = given.chunk_index
   AND (c.embedding IS NULL AND given.embedding IS NOT NULL
        OR c.fallback_embedding IS NULL AND given.fallback IS NOT NULL)
