-- The index of the next model's vectors, beside the live one.
CREATE INDEX IF NOT EXISTS rag_chunks_next_{column}_hnsw
    ON rag_chunks USING hnsw (next_{column} vector_cosine_ops) WITH (m = 16, ef_construction = 64)
