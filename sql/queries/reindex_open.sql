-- The rule that names both columns, until they are exchanged.
ALTER TABLE rag_chunks DROP CONSTRAINT rag_chunks_some_vector
