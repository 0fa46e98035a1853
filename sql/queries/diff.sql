-- Sources that two versions do not share, each with its text in either.
WITH older AS (
    SELECT s.* , m.path AS now_at FROM corpus_manifest m JOIN rag_sources s ON s.id = m.source_id WHERE m.version_id = %(older)s
),
newer AS (
    SELECT s.*, m.path AS now_at FROM corpus_manifest m JOIN rag_sources s ON s.id = m.source_id WHERE m.version_id = %(newer)s
)
SELECT source_type, source_key, coalesce(newer.title, older.title) AS title,
       coalesce(newer.now_at, older.now_at) AS path, older.text AS before, newer.text AS after
  FROM older FULL JOIN newer USING (source_type, source_key)
 WHERE older.id IS DISTINCT FROM newer.id
 ORDER BY source_type, source_key
