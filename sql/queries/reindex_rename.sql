-- The next model's vectors are the live ones.
ALTER TABLE rag_chunks RENAME COLUMN next_{column} TO {column}
