-- One migration at a time; who waits finds it done.
SELECT pg_advisory_xact_lock(%(migrations)s)
