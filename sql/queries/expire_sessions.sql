-- Sessions of which nothing is kept any more.
DELETE FROM chat_sessions s
 WHERE s.last_at < %(since)s AND NOT EXISTS (SELECT FROM chat_messages m WHERE m.session_id = s.id)
