-- The session itself.
DELETE FROM chat_sessions WHERE id = %(session_id)s
