-- Vectors of the next model; one that is there stays.
UPDATE rag_chunks c SET next_{column} = given.vector
  FROM unnest(%(chunks)s::bigint[], %(vectors)s::vector[]) AS given(chunk_id, vector)
 WHERE c.id = given.chunk_id AND c.next_{column} IS NULL
