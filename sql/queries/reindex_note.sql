-- Where an index is on its way to.
UPDATE corpus_indexes SET next_model = %(model)s WHERE name = %(name)s
