-- The index of the fallback model's vectors.
CREATE INDEX IF NOT EXISTS rag_chunks_fallback_embedding_hnsw
    ON rag_chunks USING hnsw (fallback_embedding vector_cosine_ops) WITH (m = 16, ef_construction = 64)
