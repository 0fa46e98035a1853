-- Questions that a chat model made of the source's chunks.
DELETE FROM expansion_cache
 WHERE text_hash IN (
    SELECT encode(sha256(convert_to(concat_ws(E'\n\n', nullif(c.header, ''), c.content), 'UTF8')), 'hex')
      FROM rag_chunks c WHERE c.source_id = ANY (%(revisions)s))
