-- Sessions whose time is not up, the latest first.
-- Returns: id, began_at, last_at, questions, outcomes, cost_usd, usefulness (of the ratings given), first question.
SELECT s.id, s.began_at, s.last_at, count(m.answer_id) AS questions,
       array_agg(m.outcome ORDER BY m.asked_at) AS outcomes,
       coalesce(sum(m.cost_usd), 0) AS cost_usd,
       (SELECT avg(f.usefulness)::float8 FROM feedback f WHERE f.session_id = s.id) AS usefulness,
       (array_agg(m.question ORDER BY m.asked_at))[1] AS question
  FROM chat_sessions s JOIN chat_messages m ON m.session_id = s.id AND m.asked_at >= %(since)s
 GROUP BY s.id
 ORDER BY s.last_at DESC, s.id
 LIMIT %(limit)s
