-- Versions go, with their manifest and counts.
DELETE FROM corpus_versions v
 WHERE v.id = ANY (%(versions)s) AND NOT EXISTS (SELECT FROM corpus_active a WHERE a.version_id = v.id)
