-- The source's words leave the counts of every version that held it.
UPDATE corpus_lexemes l SET documents = l.documents - gone.documents
  FROM (SELECT m.version_id, lexeme, count(*) AS documents
          FROM corpus_manifest m JOIN rag_chunks c USING (source_id), unnest(tsvector_to_array(c.search_vector)) AS lexeme
         WHERE m.source_id = ANY (%(revisions)s)
         GROUP BY 1, 2) AS gone
 WHERE l.version_id = gone.version_id AND l.lexeme = gone.lexeme
