-- All messages of a session; their evidence goes with them.
DELETE FROM chat_messages WHERE session_id = %(session_id)s
