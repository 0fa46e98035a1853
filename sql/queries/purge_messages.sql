-- Answers that rest on a source, which repeat its words, with their questions.
DELETE FROM chat_messages
 WHERE answer_id IN (SELECT answer_id FROM message_evidence
                      WHERE source_type = %(source_type)s AND source_key = %(source_key)s AND used)
