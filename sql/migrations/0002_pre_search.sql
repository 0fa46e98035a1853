-- When: before the first code. What: searches that return ids and scores alone.
-- They run as the owner, since an operator that is not leakproof (`@@`) loses its index under
-- row-level security; hence the visibilities are an argument. Content is read by id, as the reader.

-- What narrows a search; null or empty means any. Keys are two arrays that run in step.
CREATE TYPE rag_filter AS (
    types text[],
    scopes text[],
    person_key text,
    key_types text[],
    key_names text[],
    published_from date,
    published_to date
);

-- The words of one question as a version sees them, rarest first.
-- `every` wants all of them in one chunk; a chunk's language decides nothing here.
CREATE TYPE rag_terms AS (
    lexemes tsquery[],
    documents integer[],
    every tsquery,
    chunk_count integer,
    mean_lexemes real
);

CREATE FUNCTION lexeme_query(lexeme text) RETURNS tsquery
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery;

-- Does the filter ask for what only the source knows?
CREATE FUNCTION rag_by_source(narrow rag_filter) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN num_nonnulls((narrow).person_key, (narrow).key_types, (narrow).published_from, (narrow).published_to) > 0;

-- Does a source fit that part of a filter?
CREATE FUNCTION rag_source_fits(source rag_sources, narrow rag_filter) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ((narrow).person_key IS NULL OR (source).person_key = (narrow).person_key)
   AND ((narrow).key_types IS NULL OR ((source).source_type, (source).source_key) IN (
           SELECT * FROM unnest((narrow).key_types, (narrow).key_names)))
   AND ((narrow).published_from IS NULL OR (source).published >= (narrow).published_from)
   AND ((narrow).published_to IS NULL OR (source).published <= (narrow).published_to);

-- A larger graph needs a wider scan to find the same share of the nearest. Until the transaction ends.
CREATE FUNCTION rag_widen_scan(version bigint) RETURNS void
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT set_config('hnsw.ef_search', CASE
        WHEN v.chunk_count <= 100000 THEN '100' WHEN v.chunk_count <= 400000 THEN '200' ELSE '400' END, true)
      FROM corpus_versions v WHERE v.id = version;
END;

-- The sources that a filter keeps, where their chunks are few enough to be sorted exactly; null
-- where not. An approximate index finds 0.8 to 0.9 of what it should under such a filter.
CREATE FUNCTION rag_narrowed(version bigint, visibilities text[], narrow rag_filter, most integer DEFAULT 3000)
RETURNS bigint[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    grouped bigint;
    total bigint;
    kept bigint[];
    chunks bigint;
BEGIN
    SELECT sum(g.chunks) FILTER (
               WHERE g.visibility = ANY (visibilities)
                 AND (narrow.types IS NULL OR g.source_type = ANY (narrow.types))
                 AND (narrow.scopes IS NULL OR g.scope = ANY (narrow.scopes))),
           sum(g.chunks)
      INTO grouped, total
      FROM corpus_groups g WHERE g.version_id = version;
    IF NOT rag_by_source(narrow) AND (grouped > most OR grouped * 3 > total) THEN
        RETURN NULL;
    END IF;

    -- EXECUTE plans for these very values, so that absent conditions are gone before the plan is made.
    EXECUTE $kept$
        SELECT coalesce(array_agg(id), '{}'), coalesce(sum(chunk_count), 0) FROM (
            SELECT s.id, s.chunk_count
              FROM rag_sources s
              JOIN corpus_manifest m ON m.source_id = s.id AND m.version_id = $1
             WHERE s.visibility = ANY ($2)
               AND ($3 IS NULL OR s.source_type = ANY ($3))
               AND ($4 IS NULL OR s.scope = ANY ($4))
               AND ($5 IS NULL OR s.person_key = $5)
               AND ($6 IS NULL OR s.id IN (
                       SELECT n.id FROM unnest($6, $7) AS k(source_type, source_key)
                         JOIN rag_sources n USING (source_type, source_key)))
               AND ($8 IS NULL OR s.published >= $8)
               AND ($9 IS NULL OR s.published <= $9)
             LIMIT $10) AS few $kept$
       INTO kept, chunks
      USING version, visibilities, narrow.types, narrow.scopes, narrow.person_key,
            narrow.key_types, narrow.key_names, narrow.published_from, narrow.published_to, most + 1;
    RETURN CASE WHEN chunks <= most AND cardinality(kept) <= most THEN kept END;
END $$;

-- The nearest chunks of a version by the primary index, as one viewer may see them.
CREATE FUNCTION match_rag_chunks(
    query_embedding vector, match_count integer, version bigint, visibilities text[], narrow rag_filter DEFAULT NULL)
RETURNS TABLE (chunk_id bigint, similarity double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    few bigint[] := rag_narrowed(version, visibilities, narrow);
    by_source boolean := rag_by_source(narrow);
BEGIN
    IF few IS NOT NULL THEN
        RETURN QUERY
        WITH kept AS MATERIALIZED (
            SELECT c.id, c.embedding <=> query_embedding AS distance
              FROM rag_chunks c WHERE c.source_id = ANY (few) AND c.embedding IS NOT NULL)
        SELECT k.id, 1 - k.distance FROM kept k ORDER BY k.distance LIMIT match_count;
        RETURN;
    END IF;

    PERFORM rag_widen_scan(version);
    RETURN QUERY
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
         LIMIT match_count)
    -- The scan is relaxed, which the planner takes for sorted; `+ 0` makes it sort.
    SELECT n.id, 1 - n.distance FROM nearest n ORDER BY n.distance + 0;
END $$;

-- The nearest chunks of a version by the fallback index, as one viewer may see them.
CREATE FUNCTION match_rag_chunks_fallback(
    query_embedding vector, match_count integer, version bigint, visibilities text[], narrow rag_filter DEFAULT NULL)
RETURNS TABLE (chunk_id bigint, similarity double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    few bigint[] := rag_narrowed(version, visibilities, narrow);
    by_source boolean := rag_by_source(narrow);
BEGIN
    IF few IS NOT NULL THEN
        RETURN QUERY
        WITH kept AS MATERIALIZED (
            SELECT c.id, c.fallback_embedding <=> query_embedding AS distance
              FROM rag_chunks c WHERE c.source_id = ANY (few) AND c.fallback_embedding IS NOT NULL)
        SELECT k.id, 1 - k.distance FROM kept k ORDER BY k.distance LIMIT match_count;
        RETURN;
    END IF;

    PERFORM rag_widen_scan(version);
    RETURN QUERY
    WITH nearest AS (
        SELECT c.id, c.fallback_embedding <=> query_embedding AS distance
          FROM rag_chunks c
         WHERE c.visibility = ANY (visibilities)
           AND (narrow.types IS NULL OR c.source_type = ANY (narrow.types))
           AND (narrow.scopes IS NULL OR c.scope = ANY (narrow.scopes))
           -- A scalar subquery can't become a join, which would give up the order of the index.
           AND (SELECT true FROM corpus_manifest m WHERE m.version_id = version AND m.source_id = c.source_id)
           AND (NOT by_source OR (SELECT rag_source_fits(s, narrow) FROM rag_sources s WHERE s.id = c.source_id))
         ORDER BY c.fallback_embedding <=> query_embedding
         LIMIT match_count)
    -- The scan is relaxed, which the planner takes for sorted; `+ 0` makes it sort.
    SELECT n.id, 1 - n.distance FROM nearest n ORDER BY n.distance + 0;
END $$;

-- What the words of one question weigh in a version, for each language that they may be in.
-- Words that stand in no chunk are left out, and of very many the rarest sixteen are kept.
CREATE FUNCTION rag_terms_of(words text, languages text[], version bigint) RETURNS rag_terms
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    terms rag_terms;
BEGIN
    WITH configs AS (
        SELECT DISTINCT text_config(language) AS config FROM unnest(languages) AS language),
    spoken AS (
        SELECT DISTINCT unnest(tsvector_to_array(to_tsvector(config, searchable(words)))) AS lexeme FROM configs),
    weighed AS (
        SELECT s.lexeme, coalesce(l.documents, 1) AS held
          FROM spoken s LEFT JOIN corpus_lexemes l ON l.version_id = version AND l.lexeme = s.lexeme
         WHERE l.documents > 0 OR NOT EXISTS (SELECT FROM corpus_lexemes WHERE version_id = version)
         ORDER BY held, s.lexeme
         LIMIT 16)
    SELECT (SELECT array_agg(lexeme_query(w.lexeme) ORDER BY w.held, w.lexeme) FROM weighed w),
           (SELECT array_agg(w.held ORDER BY w.held, w.lexeme) FROM weighed w),
           (SELECT string_agg(nullif(plainto_tsquery(config, searchable(words))::text, ''), ' | ') FROM configs)::tsquery,
           v.chunk_count, v.mean_lexemes
      INTO terms
      FROM corpus_versions v WHERE v.id = version;
    RETURN terms;
END $$;

CREATE FUNCTION rag_any(queries tsquery[]) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT string_agg(q::text, ' | ')::tsquery FROM unnest(queries) AS q);

-- The searches that `match_rag_words` makes, in order. Rare: together in at most `most` chunks.
CREATE FUNCTION rag_legs(terms rag_terms, most integer, thorough boolean) RETURNS TABLE (rank integer, leg tsquery)
LANGUAGE sql STABLE
AS $$
    WITH words AS (
        SELECT place, lexeme, sum(documents) OVER (ORDER BY place) <= most AS rare
          FROM unnest(terms.lexemes, terms.documents) WITH ORDINALITY AS w(lexeme, documents, place)),
    common AS (SELECT row_number() OVER (ORDER BY place) AS place, lexeme FROM words WHERE NOT rare LIMIT 4)
    SELECT 1, terms.every WHERE numnode(terms.every) > 0
    UNION ALL
    SELECT 2, rag_any(array_agg(lexeme)) FROM words WHERE rare HAVING count(*) > 0
    UNION ALL
    SELECT (2 + a.place + b.place)::integer, a.lexeme && b.lexeme FROM common a JOIN common b ON a.place < b.place WHERE thorough
    UNION ALL
    SELECT 99, lexeme FROM common WHERE place = 1 AND thorough
$$;

-- Chunks that may answer a question by its words, bounded whatever the words are: first those
-- that hold all of them, then those that hold rare ones. `thorough` goes on to pairs of the rarest
-- words and to the rarest alone, for a search that has no vectors to lean on.
CREATE FUNCTION match_rag_words(
    terms rag_terms, most integer, thorough boolean,
    version bigint, visibilities text[], narrow rag_filter DEFAULT NULL)
RETURNS TABLE (chunk_id bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    few bigint[] := rag_narrowed(version, visibilities, narrow);
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
    RETURN QUERY SELECT DISTINCT unnest(found);
END $$;

-- How often a lexeme stands in a search vector. `ts_rank` of one word with equal weights is
-- (1 + 1/4 + 1/9 + ... + 1/times^2) / 1.6449341, and the missing rest of that series is near
-- 1 / (times + 1/2): solved for `times`. Counting positions with `unnest` takes four times as long.
CREATE FUNCTION times_in(lexeme tsquery, lexemes tsvector) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(1 / (1.6449341 * (1.0000001 - ts_rank('{1,1,1,1}', lexemes, lexeme))) - 0.5);

-- BM25 of chunks for the words of one question (k1 1.2, b 0.75); chunks without any are left out.
-- Length is the number of different lexemes, which the search vector knows without being unpacked.
CREATE FUNCTION score_rag_words(terms rag_terms, ids bigint[], visibilities text[])
RETURNS TABLE (chunk_id bigint, keyword double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN QUERY
    WITH chunks AS MATERIALIZED (
        -- Joined with nothing it is unpacked once, not once for each word.
        SELECT c.id, c.search_vector || ''::tsvector AS lexemes, length(c.search_vector) AS length
          FROM rag_chunks c
         WHERE c.id = ANY (ids) AND c.visibility = ANY (visibilities)),
    words AS MATERIALIZED (
        SELECT w.lexeme, ln(1 + (terms.chunk_count - w.documents + 0.5) / (w.documents + 0.5)) AS weight
          FROM unnest(terms.lexemes, terms.documents) AS w(lexeme, documents)),
    counted AS (
        SELECT c.id, w.weight, times_in(w.lexeme, c.lexemes) AS times,
               1.2 * (0.25 + 0.75 * c.length / greatest(terms.mean_lexemes, 1)) AS damping
          FROM chunks c, words w)
    SELECT id, sum(weight * times * 2.2 / (times + damping)) FROM counted WHERE times > 0 GROUP BY id;
END $$;

-- Chunks that hold a term as it is written, between boundaries that the pattern draws.
-- The index proposes, the pattern decides. Where a language drops the term as a stop word
-- (English drops `IT`), there is no index to ask.
CREATE FUNCTION match_rag_pattern(
    term text, pattern text, blind boolean, most integer,
    version bigint, visibilities text[], narrow rag_filter DEFAULT NULL)
RETURNS TABLE (chunk_id bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    few bigint[] := rag_narrowed(version, visibilities, narrow);
    by_source boolean := rag_by_source(narrow);
    proposal tsquery := rag_proposal(term, version);
BEGIN
    RETURN QUERY
    SELECT c.id
      FROM rag_chunks c
     WHERE (proposal IS NULL OR c.search_vector @@ proposal)
       AND (few IS NULL OR c.source_id = ANY (few))
       AND c.visibility = ANY (visibilities)
       AND (narrow.types IS NULL OR c.source_type = ANY (narrow.types))
       AND (narrow.scopes IS NULL OR c.scope = ANY (narrow.scopes))
       AND (SELECT true FROM corpus_manifest m WHERE m.version_id = version AND m.source_id = c.source_id)
       AND (NOT by_source OR (SELECT rag_source_fits(s, narrow) FROM rag_sources s WHERE s.id = c.source_id))
       AND CASE WHEN blind THEN (c.header || E'\n' || c.content) ~* pattern
                ELSE (c.header || E'\n' || c.content) ~ pattern END
     LIMIT most;
END $$;

-- What any chunk that holds the term must match, whatever its language; null where there is no such query.
CREATE FUNCTION rag_proposal(term text, version bigint) RETURNS tsquery
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN bool_and(numnode(q) > 0) THEN string_agg(q::text, ' | ')::tsquery END
      FROM (SELECT DISTINCT plainto_tsquery(text_config(g.language), searchable(term)) AS q
              FROM corpus_groups g WHERE g.version_id = version) AS queries
$$;

-- The reader may search; nobody else is let in by default.
REVOKE ALL ON FUNCTION
    rag_narrowed, match_rag_chunks, match_rag_chunks_fallback, rag_terms_of, match_rag_words, score_rag_words,
    match_rag_pattern
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    match_rag_chunks, match_rag_chunks_fallback, rag_terms_of, match_rag_words, score_rag_words, match_rag_pattern
TO magpie_reader;
