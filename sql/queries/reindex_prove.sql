-- Proves the rule over what is stored; readers and writers go on.
ALTER TABLE rag_chunks VALIDATE CONSTRAINT rag_chunks_some_vector
