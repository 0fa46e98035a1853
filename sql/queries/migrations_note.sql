-- A file is applied.
INSERT INTO magpie_migrations (name, checksum) VALUES (%(name)s, %(checksum)s)
