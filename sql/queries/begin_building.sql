-- One builder at a time, with room to work in.
SELECT pg_advisory_xact_lock(%(indexes)s),
       set_config('maintenance_work_mem', %(memory)s, true),
       set_config('max_parallel_maintenance_workers', %(workers)s, true)
