-- Who works, and how long one statement may take; both end with the transaction.
SELECT set_config('role', %(role)s, true),
       set_config('statement_timeout', %(timeout_ms)s, true)
