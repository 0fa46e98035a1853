-- What kind of server it is, for `magpie doctor`. Returns: server, vector (null without pgvector), login.
SELECT current_setting('server_version') AS server,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
       session_user::text AS login
