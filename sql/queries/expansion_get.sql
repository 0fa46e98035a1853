-- Questions that were made before.
SELECT text_hash, questions FROM expansion_cache WHERE model = %(model)s AND text_hash = ANY (%(hashes)s)
