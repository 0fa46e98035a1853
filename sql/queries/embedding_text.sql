-- What the embedding models read of a chunk; stands where a query says {embedding_text}.
concat_ws(E'\n\n', nullif(c.header, ''), c.content, nullif(c.questions, ''))
