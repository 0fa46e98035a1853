-- Which files were applied.
CREATE TABLE IF NOT EXISTS magpie_migrations (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
