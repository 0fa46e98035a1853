-- The rule again, unproven as yet: proving it reads the whole table, which readers need not wait for.
ALTER TABLE rag_chunks ADD CONSTRAINT rag_chunks_some_vector
    CHECK (embedding IS NOT NULL OR fallback_embedding IS NOT NULL) NOT VALID
