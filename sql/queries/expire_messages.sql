-- Messages older than the owner keeps them.
DELETE FROM chat_messages WHERE asked_at < %(since)s
