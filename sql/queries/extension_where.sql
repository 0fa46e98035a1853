-- Where the vector type lives, and how old it is.
SELECT n.nspname AS schema, e.extversion AS version
  FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'
