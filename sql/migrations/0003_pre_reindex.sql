-- When: before the code that moves to another embedding model. What: which model each index holds.

-- Vectors can be compared only with vectors of the same model. `next_model` is the one that a move
-- in progress fills a column with, `next_embedding` or `next_fallback_embedding`, beside the live one.
CREATE TABLE corpus_indexes (
    name text PRIMARY KEY CHECK (name IN ('primary', 'fallback')),
    model jsonb NOT NULL,
    next_model jsonb
);
GRANT SELECT ON corpus_indexes TO magpie_reader;

INSERT INTO corpus_indexes (name, model)
SELECT i.name, i.model
  FROM corpus_active a
  JOIN corpus_versions v ON v.id = a.version_id,
       LATERAL (VALUES ('primary', v.primary_model), ('fallback', v.fallback_model)) AS i(name, model)
 WHERE i.model IS NOT NULL;

-- What vectors must share to be compared; as `EmbeddingModel.identity` says it.
CREATE FUNCTION rag_model_identity(model jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN concat_ws('/', model ->> 'provider', model ->> 'name', model ->> 'dimension', model ->> 'passage_prefix');

-- Refuses a query of another model than the index holds now; an empty name is not asked about.
CREATE FUNCTION rag_same_model(index text, identity text) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    held text := (SELECT rag_model_identity(i.model) FROM corpus_indexes i WHERE i.name = index);
BEGIN
    IF identity <> '' AND held IS DISTINCT FROM identity THEN
        RAISE EXCEPTION 'the % index holds vectors of %, the question was embedded with %', index, held, identity
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN true;
END $$;
