-- The vectors' index of one narrow group.
CREATE INDEX IF NOT EXISTS {name}
    ON rag_chunks USING hnsw ({column} vector_cosine_ops) WITH (m = 16, ef_construction = 64)
 WHERE {grouped_by} = {value}
