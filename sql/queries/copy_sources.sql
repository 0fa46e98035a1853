-- New revisions, in bulk.
COPY rag_sources (id, source_type, source_key, title, url, path, origin, scope, visibility, language, content_hash,
                  raw_hash, rules_hash, published, person_key, reference_rank, metadata, text, chunk_count)
FROM STDIN (FORMAT binary)
