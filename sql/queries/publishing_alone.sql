-- Nobody else stages or removes.
SELECT pg_advisory_xact_lock(%(publishing)s)
