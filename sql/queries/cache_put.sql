-- Vectors for next time; one that is there stays.
INSERT INTO embedding_cache (model, text_hash, embedding)
SELECT %(model)s, given.* FROM unnest(%(hashes)s::text[], %(vectors)s::vector[]) AS given
ON CONFLICT (model, text_hash) DO NOTHING
