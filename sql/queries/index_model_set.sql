-- An index gets its first model, or, while it holds no vector yet, another one.
INSERT INTO corpus_indexes (name, model) VALUES (%(name)s, %(model)s)
ON CONFLICT (name) DO UPDATE SET model = excluded.model
