-- Who reads, what may be told, how long it may take; all of it ends with the transaction.
SELECT set_config('role', 'magpie_reader', true),
       set_config('magpie.visibilities', %(visibilities)s, true),
       set_config('statement_timeout', %(timeout_ms)s, true),
       set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.max_scan_tuples', '40000', true),
       set_config('jit', 'off', true)
