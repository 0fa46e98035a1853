-- A version that holds what the active one holds, with the models and the site file that will be.
INSERT INTO corpus_versions (parent_id, state, site_text, site_hash, primary_model, fallback_model,
                             source_count, chunk_count, mean_lexemes, note)
SELECT v.id, 'staging', %(site_text)s, %(site_hash)s, %(primary)s, %(fallback)s,
       v.source_count, v.chunk_count, v.mean_lexemes, %(note)s
  FROM corpus_versions v JOIN corpus_active a ON a.version_id = v.id
RETURNING id, parent_id
