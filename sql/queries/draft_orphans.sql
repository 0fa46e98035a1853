-- Drafts whose run is gone: nobody holds their lock.
SELECT id FROM corpus_versions
 WHERE state = 'staging' AND pg_try_advisory_xact_lock(%(drafts)s, (id %% 2147483647)::integer)
