-- What the answers of a session were written from; `content` while the corpus still holds the passage.
SELECT e.answer_id, e.number, e.chunk_id, e.source_type, e.source_key, e.title, e.url, e.content_hash, e.route, e.score, e.used,
       (SELECT c.content FROM rag_chunks c WHERE c.id = e.chunk_id AND c.content_hash = e.content_hash) AS content
  FROM message_evidence e JOIN chat_messages m USING (answer_id)
 WHERE m.session_id = %(session_id)s AND m.asked_at >= %(since)s
 ORDER BY e.answer_id, e.number
