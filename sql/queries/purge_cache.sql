-- Cached vectors of the source's chunks, whichever hash of a chunk they are kept by.
DELETE FROM embedding_cache
 WHERE text_hash IN (
    SELECT unnest(ARRAY[
        c.content_hash,
        encode(sha256(convert_to(c.content, 'UTF8')), 'hex'),
        encode(sha256(convert_to({embedding_text}, 'UTF8')), 'hex')])
      FROM rag_chunks c WHERE c.source_id = ANY (%(revisions)s))
