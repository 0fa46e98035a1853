-- A session is seen again, or for the first time.
INSERT INTO chat_sessions (id, began_at, last_at)
VALUES (%(session_id)s, %(asked_at)s, %(asked_at)s)
ON CONFLICT (id) DO UPDATE SET last_at = greatest(chat_sessions.last_at, %(asked_at)s)
