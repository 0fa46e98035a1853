-- In how many chunks each lexeme stands: the parent's counts, plus what came, less what went.
INSERT INTO corpus_lexemes (version_id, lexeme, documents)
WITH held AS (
    SELECT source_id, bool_or(version_id = %(version)s) AS now, bool_or(version_id = %(parent)s) AS before
      FROM corpus_manifest WHERE version_id IN (%(version)s, %(parent)s) GROUP BY source_id
),
moved AS (
    SELECT lexeme, sum(CASE WHEN now THEN 1 ELSE -1 END) AS documents
      FROM held JOIN rag_chunks c USING (source_id), unnest(tsvector_to_array(c.search_vector)) AS lexeme
     WHERE now IS DISTINCT FROM coalesce(before, false)
     GROUP BY lexeme
)
SELECT %(version)s, lexeme, coalesce(p.documents, 0) + coalesce(m.documents, 0)
  FROM moved m FULL JOIN (SELECT * FROM corpus_lexemes WHERE version_id = %(parent)s) AS p USING (lexeme)
 WHERE coalesce(p.documents, 0) + coalesce(m.documents, 0) > 0
