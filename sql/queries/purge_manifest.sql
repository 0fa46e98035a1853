-- No version holds it any more.
DELETE FROM corpus_manifest WHERE source_id = ANY (%(revisions)s)
