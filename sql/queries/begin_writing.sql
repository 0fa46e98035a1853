-- Who writes.
SELECT set_config('role', 'magpie_writer', true)
