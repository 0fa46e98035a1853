-- Which model each index holds, and which one it is on its way to.
SELECT name, model, next_model FROM corpus_indexes ORDER BY name
