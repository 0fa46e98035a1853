-- A draft becomes a version that is kept.
UPDATE corpus_versions SET state = 'kept' WHERE id = %(version)s AND state = 'staging'
