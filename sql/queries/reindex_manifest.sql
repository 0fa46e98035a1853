-- The same sources.
INSERT INTO corpus_manifest (version_id, source_id, path, raw_hash, rules_hash)
SELECT %(version)s, source_id, path, raw_hash, rules_hash FROM corpus_manifest WHERE version_id = %(parent)s
