-- The session that a name means: its own id, or that of one of its answers. No row where nothing is kept of it.
SELECT session_id FROM (
    SELECT id AS session_id FROM chat_sessions WHERE id = %(name)s
    UNION ALL SELECT session_id FROM chat_messages WHERE answer_id = %(name)s
    UNION ALL SELECT session_id FROM feedback WHERE answer_id = %(name)s OR session_id = %(name)s
) AS found
LIMIT 1
