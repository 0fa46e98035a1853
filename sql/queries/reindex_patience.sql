-- Nobody waits behind us for long: whoever reads meanwhile goes first, and we try again.
SELECT set_config('lock_timeout', %(patience)s, true)
