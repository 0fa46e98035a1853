-- All messages of a session that are not too old, in order.
SELECT answer_id, asked_at, question, answer, masked, language, page, role, outcome, error, intent, routes, version_id, model,
       band, calls, input_tokens, output_tokens, embedding_tokens, cost_usd, timings_ms, verdicts, counts, safety,
       confidence, prompt_hash, policy_hash, receipt
  FROM chat_messages
 WHERE session_id = %(session_id)s AND asked_at >= %(since)s
 ORDER BY asked_at, answer_id
