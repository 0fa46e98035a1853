-- The switch: which version answers from now on. Tells when the one before was left.
WITH leaving AS (
    UPDATE corpus_versions SET left_at = clock_timestamp()
     WHERE id = (SELECT version_id FROM corpus_active) AND id <> %(version)s
),
entering AS (
    UPDATE corpus_versions SET activated_at = clock_timestamp(), left_at = NULL WHERE id = %(version)s
)
INSERT INTO corpus_active (version_id) VALUES (%(version)s)
ON CONFLICT (only_one) DO UPDATE SET version_id = excluded.version_id
