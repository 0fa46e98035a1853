-- A version in the making; its number is locked already by the run that makes it.
INSERT INTO corpus_versions (id, parent_id, site_text, site_hash, primary_model, fallback_model, note)
VALUES (%(version)s, %(parent)s, %(site_text)s, %(site_hash)s, %(primary)s, %(fallback)s, %(note)s)
