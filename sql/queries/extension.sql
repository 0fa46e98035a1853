-- Vectors. Trusted since 0.5: the owner of the database may.
CREATE EXTENSION IF NOT EXISTS vector
