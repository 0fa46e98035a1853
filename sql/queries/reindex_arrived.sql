-- The index holds the model that it was on its way to.
UPDATE corpus_indexes SET model = next_model, next_model = NULL WHERE name = %(name)s
