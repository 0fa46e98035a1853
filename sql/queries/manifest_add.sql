-- Revisions that a version holds, with where each was found and by what rules it was read.
INSERT INTO corpus_manifest (version_id, source_id, path, raw_hash, rules_hash)
SELECT %(version)s, given.* FROM unnest(%(sources)s::bigint[], %(paths)s::text[], %(raws)s::text[], %(rules)s::text[]) AS given
ON CONFLICT (version_id, source_id) DO UPDATE
   SET path = excluded.path, raw_hash = excluded.raw_hash, rules_hash = excluded.rules_hash
