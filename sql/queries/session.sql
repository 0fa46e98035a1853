-- When a session began and was last seen.
SELECT id, began_at, last_at FROM chat_sessions WHERE id = %(session_id)s
