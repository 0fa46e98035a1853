-- When: before the code that searches by one call. What: all questions of a search in one function that
-- keeps its plans; rows that stay whole in their page; a policy that looks up one source, not all; a mark
-- of purges, so that what a version holds may be kept in memory.

-- A chunk is read for its vector, its words and its text at every search: fetching them from beside the
-- table took a fifth of a search's time. What is larger than a page is still put aside. For rows to come.
ALTER TABLE rag_chunks SET (toast_tuple_target = 8160);

-- How often a purge took something out of a version; nothing else changes what a published version holds.
ALTER TABLE corpus_versions ADD COLUMN purges integer NOT NULL DEFAULT 0;

-- A scalar subquery is answered by the key. `EXISTS` became a set of all sources that may be told,
-- gathered anew for each search.
ALTER POLICY told ON corpus_manifest
    USING ((SELECT visible_now(s.visibility) FROM rag_sources s WHERE s.id = source_id));

-- Chunks and how far they are, nearest first.
CREATE TYPE rag_near AS (ids bigint[], distances double precision[]);

-- The nearest chunks by one of the two indexes; among `few` sources, where a filter keeps few, exactly.
CREATE FUNCTION rag_nearest(
    index text, query_embedding vector, most integer,
    version bigint, visibilities text[], narrow rag_filter, few bigint[])
RETURNS rag_near
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    by_source boolean := rag_by_source(narrow);
    near rag_near;
BEGIN
    IF few IS NOT NULL AND index = 'primary' THEN
        WITH kept AS MATERIALIZED (
            SELECT c.id, c.embedding <=> query_embedding AS distance
              FROM rag_chunks c WHERE c.source_id = ANY (few) AND c.embedding IS NOT NULL)
        SELECT array_agg(k.id), array_agg(k.distance) INTO near
          FROM (SELECT id, distance FROM kept ORDER BY distance LIMIT most) AS k;
    ELSIF few IS NOT NULL THEN
        WITH kept AS MATERIALIZED (
            SELECT c.id, c.fallback_embedding <=> query_embedding AS distance
              FROM rag_chunks c WHERE c.source_id = ANY (few) AND c.fallback_embedding IS NOT NULL)
        SELECT array_agg(k.id), array_agg(k.distance) INTO near
          FROM (SELECT id, distance FROM kept ORDER BY distance LIMIT most) AS k;
    ELSIF index = 'primary' THEN
        WITH nearest AS (
            SELECT c.id, c.embedding <=> query_embedding AS distance
              FROM rag_chunks c
             WHERE c.visibility = ANY (visibilities)
               AND (narrow.types IS NULL OR c.source_type = ANY (narrow.types))
               AND (narrow.scopes IS NULL OR c.scope = ANY (narrow.scopes))
               -- A scalar subquery can't become a join, which would give up the order of the index.
               AND (SELECT true FROM corpus_manifest m WHERE m.version_id = version AND m.source_id = c.source_id)
               AND (NOT by_source OR (SELECT rag_source_fits(s, narrow) FROM rag_sources s WHERE s.id = c.source_id))
             ORDER BY c.embedding <=> query_embedding
             LIMIT most)
        -- The scan is relaxed, which the planner takes for sorted; `+ 0` makes it sort.
        SELECT array_agg(n.id ORDER BY n.distance + 0), array_agg(n.distance ORDER BY n.distance + 0) INTO near
          FROM nearest n;
    ELSE
        WITH nearest AS (
            SELECT c.id, c.fallback_embedding <=> query_embedding AS distance
              FROM rag_chunks c
             WHERE c.visibility = ANY (visibilities)
               AND (narrow.types IS NULL OR c.source_type = ANY (narrow.types))
               AND (narrow.scopes IS NULL OR c.scope = ANY (narrow.scopes))
               AND (SELECT true FROM corpus_manifest m WHERE m.version_id = version AND m.source_id = c.source_id)
               AND (NOT by_source OR (SELECT rag_source_fits(s, narrow) FROM rag_sources s WHERE s.id = c.source_id))
             ORDER BY c.fallback_embedding <=> query_embedding
             LIMIT most)
        SELECT array_agg(n.id ORDER BY n.distance + 0), array_agg(n.distance ORDER BY n.distance + 0) INTO near
          FROM nearest n;
    END IF;
    RETURN near;
END $$;

-- Chunks that may answer a question by its words, as `match_rag_words` says; a chunk may come twice.
CREATE FUNCTION rag_worded(
    terms rag_terms, most integer, thorough boolean,
    version bigint, visibilities text[], narrow rag_filter, few bigint[])
RETURNS bigint[]
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    by_source boolean := rag_by_source(narrow);
    leg tsquery;
    hits bigint[];
    found bigint[] := '{}';
BEGIN
    FOR leg IN SELECT l.leg FROM rag_legs(terms, most, thorough) AS l ORDER BY l.rank LOOP
        SELECT array_agg(h.id) INTO hits FROM (
            SELECT c.id
              FROM rag_chunks c
             WHERE c.search_vector @@ leg
               AND (few IS NULL OR c.source_id = ANY (few))
               AND c.visibility = ANY (visibilities)
               AND (narrow.types IS NULL OR c.source_type = ANY (narrow.types))
               AND (narrow.scopes IS NULL OR c.scope = ANY (narrow.scopes))
               AND (SELECT true FROM corpus_manifest m WHERE m.version_id = version AND m.source_id = c.source_id)
               AND (NOT by_source
                    OR (SELECT rag_source_fits(s, narrow) FROM rag_sources s WHERE s.id = c.source_id))
             LIMIT most) AS h;
        found := found || hits;
        EXIT WHEN cardinality(found) >= most;
    END LOOP;
    IF few IS NOT NULL AND cardinality(found) < most THEN
        -- Any of the words will do where few chunks are left: these are read by their sources.
        SELECT array_agg(h.id) INTO hits FROM (
            SELECT k.id
              FROM (SELECT c.id, c.search_vector FROM rag_chunks c WHERE c.source_id = ANY (few) OFFSET 0) AS k
             WHERE k.search_vector @@ rag_any(terms.lexemes)
             LIMIT most) AS h;
        found := found || hits;
    END IF;
    RETURN found;
END $$;

CREATE OR REPLACE FUNCTION match_rag_chunks(
    query_embedding vector, match_count integer, version bigint, visibilities text[], narrow rag_filter DEFAULT NULL)
RETURNS TABLE (chunk_id bigint, similarity double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    near rag_near;
BEGIN
    PERFORM rag_widen_scan(version);
    near := rag_nearest('primary', query_embedding, match_count, version, visibilities, narrow,
                        rag_narrowed(version, visibilities, narrow));
    RETURN QUERY SELECT n.id, 1 - n.distance FROM unnest(near.ids, near.distances) AS n(id, distance);
END $$;

CREATE OR REPLACE FUNCTION match_rag_chunks_fallback(
    query_embedding vector, match_count integer, version bigint, visibilities text[], narrow rag_filter DEFAULT NULL)
RETURNS TABLE (chunk_id bigint, similarity double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    near rag_near;
BEGIN
    PERFORM rag_widen_scan(version);
    near := rag_nearest('fallback', query_embedding, match_count, version, visibilities, narrow,
                        rag_narrowed(version, visibilities, narrow));
    RETURN QUERY SELECT n.id, 1 - n.distance FROM unnest(near.ids, near.distances) AS n(id, distance);
END $$;

CREATE OR REPLACE FUNCTION match_rag_words(
    terms rag_terms, most integer, thorough boolean,
    version bigint, visibilities text[], narrow rag_filter DEFAULT NULL)
RETURNS TABLE (chunk_id bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN QUERY SELECT DISTINCT unnest(rag_worded(
        terms, most, thorough, version, visibilities, narrow, rag_narrowed(version, visibilities, narrow)));
END $$;

-- As before, but what makes a search vector whole in memory is its cheapest function: the weights, which
-- all count the same here, are set. Where a row lies whole in its page there is nothing to unpack.
CREATE OR REPLACE FUNCTION score_rag_words(terms rag_terms, ids bigint[], visibilities text[])
RETURNS TABLE (chunk_id bigint, keyword double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN QUERY
    WITH chunks AS MATERIALIZED (
        SELECT c.id, setweight(c.search_vector, 'A') AS lexemes, length(c.search_vector) AS length
          FROM rag_chunks c
         WHERE c.id = ANY (ids) AND c.visibility = ANY (visibilities)),
    words AS MATERIALIZED (
        SELECT w.lexeme, ln(1 + (terms.chunk_count - w.documents + 0.5) / (w.documents + 0.5)) AS weight
          FROM unnest(terms.lexemes, terms.documents) AS w(lexeme, documents)),
    counted AS (
        SELECT c.id, w.weight, times_in(w.lexeme, c.lexemes) AS times,
               1.2 * (0.25 + 0.75 * c.length / greatest(terms.mean_lexemes, 1)) AS damping
          FROM chunks c, words w
         WHERE c.lexemes @@ w.lexeme)
    SELECT id, sum(weight * times * 2.2 / (times + damping)) FROM counted GROUP BY id;
END $$;

-- Candidates for every question at once: the `most` nearest by vector and the `most` best by their words
-- among the hundred nearest and what the words bring in, both scores on each, where there is one.
CREATE FUNCTION search_rag_chunks(
    vectors vector[], indexes text[], models text[], words text[], languages text[], most integer,
    version bigint, visibilities text[], narrow rag_filter DEFAULT NULL)
RETURNS TABLE (place integer, chunk_id bigint, keyword double precision, semantic double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 50
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    few bigint[] := rag_narrowed(version, visibilities, narrow);
    terms rag_terms;
    near rag_near;
    worded bigint[];
BEGIN
    PERFORM rag_widen_scan(version);
    FOR place IN 1 .. cardinality(words) LOOP
        PERFORM rag_same_model(indexes[place], models[place]);
        near := NULL;
        IF vectors[place] IS NOT NULL THEN
            near := rag_nearest(indexes[place], vectors[place], 100, version, visibilities, narrow, few);
        END IF;
        terms := rag_terms_of(words[place], string_to_array(languages[place], ','), version);
        worded := rag_worded(terms, 100, vectors[place] IS NULL, version, visibilities, narrow, few);
        RETURN QUERY
        SELECT place, coalesce(n.id, s.chunk_id), s.keyword,
               CASE WHEN n.id IS NOT NULL THEN 1 - n.distance
                    WHEN indexes[place] = 'primary' THEN
                        (SELECT 1 - (c.embedding <=> vectors[place]) FROM rag_chunks c WHERE c.id = s.chunk_id)
                    ELSE
                        (SELECT 1 - (c.fallback_embedding <=> vectors[place]) FROM rag_chunks c WHERE c.id = s.chunk_id)
               END
          FROM unnest(near.ids, near.distances) WITH ORDINALITY AS n(id, distance, rank)
          FULL JOIN (
               SELECT w.chunk_id, w.keyword, row_number() OVER (ORDER BY w.keyword DESC, w.chunk_id) AS rank
                 FROM score_rag_words(terms, coalesce(near.ids, '{}') || worded, visibilities) AS w) AS s
            ON s.chunk_id = n.id
         WHERE n.rank <= most OR s.rank <= most;
    END LOOP;
END $$;

REVOKE ALL ON FUNCTION rag_nearest, rag_worded, search_rag_chunks FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_rag_chunks TO magpie_reader;
