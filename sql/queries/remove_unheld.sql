-- Revisions that no version holds go, with their chunks and vectors: so many that some %(chunks)s chunks go at once.
WITH unheld AS (
    SELECT s.id, s.chunk_count FROM rag_sources s
     WHERE NOT EXISTS (SELECT FROM corpus_manifest m WHERE m.source_id = s.id)
     ORDER BY s.id LIMIT %(chunks)s
),
counted AS (
    SELECT id, sum(chunk_count) OVER (ORDER BY id) - chunk_count AS before FROM unheld
),
gone AS (
    DELETE FROM rag_sources s USING counted c WHERE c.id = s.id AND c.before < %(chunks)s
    RETURNING s.chunk_count
)
SELECT count(*) AS revisions, coalesce(sum(chunk_count), 0) AS chunks FROM gone
