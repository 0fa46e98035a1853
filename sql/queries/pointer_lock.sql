-- One pointer, one mover at a time.
SELECT pg_advisory_xact_lock(%(pointer)s)
