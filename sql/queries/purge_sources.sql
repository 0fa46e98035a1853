-- The source itself goes, with its chunks and vectors.
DELETE FROM rag_sources WHERE id = ANY (%(revisions)s)
