-- Versions that lose a source are marked: whoever keeps their list reads it again.
UPDATE corpus_versions v SET purges = purges + 1
 WHERE EXISTS (SELECT FROM corpus_manifest m WHERE m.version_id = v.id AND m.source_id = ANY (%(revisions)s))
