-- And what `rebuild` looks through.
ALTER INDEX rag_chunks_next_no_fallback RENAME TO rag_chunks_no_fallback
