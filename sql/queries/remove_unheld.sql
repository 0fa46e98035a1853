-- Revisions that no version holds go, with their chunks and vectors.
WITH gone AS (
    DELETE FROM rag_sources s
     WHERE NOT EXISTS (SELECT FROM corpus_manifest m WHERE m.source_id = s.id)
    RETURNING s.chunk_count
)
SELECT count(*) AS revisions, coalesce(sum(chunk_count), 0) AS chunks FROM gone
