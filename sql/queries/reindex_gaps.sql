-- What `rebuild` will look through after the move.
CREATE INDEX IF NOT EXISTS rag_chunks_next_no_fallback ON rag_chunks (id) WHERE next_fallback_embedding IS NULL
