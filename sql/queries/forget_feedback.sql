-- All ratings of a session.
DELETE FROM feedback WHERE session_id = %(session_id)s
