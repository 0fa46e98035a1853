-- The same groups.
INSERT INTO corpus_groups (version_id, visibility, source_type, scope, language, chunks)
SELECT %(version)s, visibility, source_type, scope, language, chunks FROM corpus_groups WHERE version_id = %(parent)s
