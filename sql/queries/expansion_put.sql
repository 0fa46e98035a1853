-- Questions for next time; those that are there stay.
INSERT INTO expansion_cache (model, text_hash, questions)
SELECT %(model)s, given.* FROM unnest(%(hashes)s::text[], %(questions)s::text[]) AS given
ON CONFLICT (model, text_hash) DO NOTHING
