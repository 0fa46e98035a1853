-- When: before or after the code. What: a narrow filter in a version that is new.

-- As before, but the manifest is asked source by source. Of a version that was published a moment ago the
-- planner knows nothing: it took its manifest for one row, and began with it.
CREATE OR REPLACE FUNCTION rag_narrowed(version bigint, visibilities text[], narrow rag_filter, most integer DEFAULT 3000)
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
             WHERE (SELECT true FROM corpus_manifest m WHERE m.source_id = s.id AND m.version_id = $1)
               AND s.visibility = ANY ($2)
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
