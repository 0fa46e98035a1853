-- The ratings of a session.
SELECT answer_id, usefulness, used_question, reason, given_at
  FROM feedback
 WHERE session_id = %(session_id)s AND given_at >= %(since)s
 ORDER BY given_at, answer_id
