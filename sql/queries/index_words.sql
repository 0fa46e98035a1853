-- The index of words. Made after the first load, like its two neighbours: three times as fast as row by row.
CREATE INDEX IF NOT EXISTS rag_chunks_words ON rag_chunks USING gin (search_vector)
