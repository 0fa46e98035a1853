-- Where the pointer is.
SELECT version_id FROM corpus_active
