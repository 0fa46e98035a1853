-- Whom row-level security holds, and what it lets through now: run it as the reader, with other visibilities each time.
-- Returns: role, is_above_policies, sources_held, chunks_held, sources_seen, chunks_seen.
SELECT current_user::text AS role,
       (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS is_above_policies,
       row_security_active('rag_sources') AS sources_held,
       row_security_active('rag_chunks') AS chunks_held,
       (SELECT count(*) FROM rag_sources) AS sources_seen,
       (SELECT count(*) FROM rag_chunks) AS chunks_seen
