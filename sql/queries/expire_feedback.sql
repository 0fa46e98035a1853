-- Ratings older than the owner keeps them.
DELETE FROM feedback WHERE given_at < %(since)s
