-- Others may stage at the same time, nobody may remove.
SELECT pg_advisory_xact_lock_shared(%(publishing)s)
