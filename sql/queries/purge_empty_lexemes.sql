-- A word that stood nowhere else is gone for good.
DELETE FROM corpus_lexemes WHERE documents <= 0
