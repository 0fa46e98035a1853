-- A question with its answer; one that was noted when it began gets its end. No EXCLUDED: the recorder
-- may not read what it wrote.
INSERT INTO chat_messages (answer_id, session_id, asked_at, question, answer, masked, language, page, role, outcome, error,
    intent, routes, version_id, model, band, calls, input_tokens, output_tokens, embedding_tokens, cost_usd,
    timings_ms, verdicts, counts, safety, confidence, prompt_hash, policy_hash, receipt)
VALUES (%(answer_id)s, %(session_id)s, %(asked_at)s, %(question)s, %(answer)s, %(masked)s, %(language)s, %(page)s,
    %(role)s, %(outcome)s, %(error)s, %(intent)s, %(routes)s, %(version_id)s, %(model)s, %(band)s, %(calls)s,
    %(input_tokens)s, %(output_tokens)s, %(embedding_tokens)s, %(cost_usd)s, %(timings_ms)s, %(verdicts)s,
    %(counts)s, %(safety)s, %(confidence)s, %(prompt_hash)s, %(policy_hash)s, %(receipt)s)
ON CONFLICT (answer_id) DO UPDATE SET
    answer = %(answer)s, outcome = %(outcome)s, error = %(error)s, language = %(language)s, intent = %(intent)s,
    routes = %(routes)s, version_id = %(version_id)s, model = %(model)s, band = %(band)s, calls = %(calls)s,
    input_tokens = %(input_tokens)s, output_tokens = %(output_tokens)s, embedding_tokens = %(embedding_tokens)s,
    cost_usd = %(cost_usd)s, timings_ms = %(timings_ms)s, verdicts = %(verdicts)s, counts = %(counts)s,
    safety = %(safety)s, confidence = %(confidence)s, receipt = %(receipt)s
WHERE chat_messages.session_id = %(session_id)s AND chat_messages.outcome = 'begun'
