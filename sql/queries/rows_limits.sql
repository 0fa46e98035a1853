-- How long an owner's query may take, in this transaction alone.
SELECT set_config('statement_timeout', %(timeout_ms)s, true), set_config('lock_timeout', '2s', true)
