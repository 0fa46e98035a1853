-- The old model's vectors go, with their index.
ALTER TABLE rag_chunks DROP COLUMN {column}
