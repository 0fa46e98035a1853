-- The same words.
INSERT INTO corpus_lexemes (version_id, lexeme, documents)
SELECT %(version)s, lexeme, documents FROM corpus_lexemes WHERE version_id = %(parent)s
