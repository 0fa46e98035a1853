-- The counts of a draft. Each chunk counts once for each of its lexemes, so their sum tells the mean length.
UPDATE corpus_versions
   SET source_count = %(sources)s, chunk_count = %(chunks)s,
       mean_lexemes = (SELECT coalesce(sum(documents), 0) FROM corpus_lexemes WHERE version_id = %(version)s)
                      / greatest(%(chunks)s, 1)::real
 WHERE id = %(version)s AND state = 'staging'
