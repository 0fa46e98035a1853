-- Its chunks leave the counts of groups and versions.
WITH gone AS (
    SELECT m.version_id, s.visibility, s.source_type, s.scope, s.language, s.chunk_count
      FROM corpus_manifest m JOIN rag_sources s ON s.id = m.source_id WHERE s.id = ANY (%(revisions)s)
),
groups AS (
    UPDATE corpus_groups g SET chunks = g.chunks - gone.chunk_count FROM gone
     WHERE g.version_id = gone.version_id AND g.visibility = gone.visibility AND g.source_type = gone.source_type
       AND g.scope = gone.scope AND g.language = gone.language
)
UPDATE corpus_versions v SET source_count = v.source_count - 1, chunk_count = v.chunk_count - gone.chunk_count
  FROM gone WHERE v.id = gone.version_id AND v.source_count > 0
