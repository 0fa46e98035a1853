-- One recorded answer with its receipt.
SELECT answer, masked, receipt FROM chat_messages WHERE answer_id = %(answer_id)s AND asked_at >= %(since)s
