-- Vectors that were computed before.
SELECT text_hash, embedding FROM embedding_cache WHERE model = %(model)s AND text_hash = ANY (%(hashes)s)
