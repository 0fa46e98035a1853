-- Counts of a draft that gained sources after it was counted.
WITH groups AS (DELETE FROM corpus_groups WHERE version_id = %(version)s)
DELETE FROM corpus_lexemes WHERE version_id = %(version)s
