-- Numbers for revisions that are about to be copied in.
SELECT nextval(pg_get_serial_sequence('rag_sources', 'id')) AS id FROM generate_series(1, %(count)s)
