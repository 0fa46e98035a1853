-- Files that were applied, with what they said then.
SELECT name, checksum FROM magpie_migrations ORDER BY name
