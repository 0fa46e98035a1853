-- Which of the large indexes are there.
SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = 'rag_chunks'::regclass AND indisvalid
