-- Their chunks, in bulk.
COPY rag_chunks (source_id, chunk_index, source_type, scope, visibility, language, header, content, content_hash,
                 span_start, span_end, metadata, questions, embedding, fallback_embedding)
FROM STDIN (FORMAT binary)
