-- A move to yet another model was given up: its vectors go, and what was built over them.
ALTER TABLE rag_chunks DROP COLUMN IF EXISTS next_{column}
