-- How useful an answer was; the session that was answered may think again. Returns a row when it was taken.
INSERT INTO feedback (answer_id, session_id, usefulness, used_question, reason, given_at)
VALUES (%(answer_id)s, %(session_id)s, %(usefulness)s, %(used_question)s, %(reason)s, %(given_at)s)
ON CONFLICT (answer_id) DO UPDATE SET
    usefulness = %(usefulness)s, used_question = %(used_question)s, reason = %(reason)s, given_at = %(given_at)s
WHERE feedback.session_id = %(session_id)s AND %(may_replace)s
RETURNING answer_id
