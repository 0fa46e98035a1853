-- A number for a new version, held for as long as this transaction lives: who can take the lock
-- knows that the run is dead. It writes nothing, so it holds no snapshot back.
WITH number AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('corpus_versions', 'id')) AS id
)
SELECT id, pg_advisory_xact_lock(%(drafts)s, (id %% 2147483647)::integer),
       set_config('idle_in_transaction_session_timeout', '0', true)
  FROM number
