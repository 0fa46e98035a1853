-- The models whose vectors are stored.
SELECT DISTINCT primary_model, fallback_model FROM corpus_versions WHERE state = 'kept'
