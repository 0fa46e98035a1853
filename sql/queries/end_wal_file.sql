-- Begin a new file of the write-ahead log; may be refused.
SELECT pg_switch_wal()
