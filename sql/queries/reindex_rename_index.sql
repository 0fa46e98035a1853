-- And so is their index.
ALTER INDEX rag_chunks_next_{column}_hnsw RENAME TO rag_chunks_{column}_hnsw
