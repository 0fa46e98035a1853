-- When: before the code that makes indexes of narrow groups. What: a search that keeps one type, scope or
-- visibility walks the index of that group, where there is one.

-- The name of the index of one group: of a column (source_type, scope or visibility) and its value.
CREATE FUNCTION rag_group_index(index text, grouped_by text, value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'rag_chunks_' || index || '_of_' || left(md5(grouped_by || '=' || value), 12);

-- A condition of the filter that one such index holds already; null where there is none.
CREATE FUNCTION rag_group(index text, visibilities text[], narrow rag_filter) RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT format('c.%I = %L', g.grouped_by, g.of[1])
      FROM (VALUES (1, 'source_type', narrow.types), (2, 'scope', narrow.scopes), (3, 'visibility', visibilities))
           AS g(place, grouped_by, of)
     WHERE cardinality(g.of) = 1 AND to_regclass(rag_group_index(index, g.grouped_by, g.of[1])) IS NOT NULL
     ORDER BY g.place LIMIT 1
$$;

-- As before, but for the groups. Their condition has to stand in the statement as it stands in the index,
-- so that statement is made, and planned, for each search.
ALTER FUNCTION rag_nearest RENAME TO rag_nearest_of_all;

CREATE FUNCTION rag_nearest(
    index text, query_embedding vector, most integer,
    version bigint, visibilities text[], narrow rag_filter, few bigint[])
RETURNS rag_near
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    grouped text := CASE WHEN few IS NULL THEN rag_group(index, visibilities, narrow) END;
    near rag_near;
BEGIN
    IF grouped IS NULL THEN
        RETURN rag_nearest_of_all(index, query_embedding, most, version, visibilities, narrow, few);
    END IF;
    EXECUTE format($near$
        WITH nearest AS (
            SELECT c.id, c.%1$I <=> $1 AS distance
              FROM rag_chunks c
             WHERE %2$s
               AND c.visibility = ANY ($4)
               AND (($5).types IS NULL OR c.source_type = ANY (($5).types))
               AND (($5).scopes IS NULL OR c.scope = ANY (($5).scopes))
               AND (SELECT true FROM corpus_manifest m WHERE m.version_id = $3 AND m.source_id = c.source_id)
               AND (NOT rag_by_source($5)
                    OR (SELECT rag_source_fits(s, $5) FROM rag_sources s WHERE s.id = c.source_id))
             ORDER BY c.%1$I <=> $1
             LIMIT $2)
        SELECT array_agg(n.id ORDER BY n.distance + 0), array_agg(n.distance ORDER BY n.distance + 0)
          FROM nearest n $near$,
        CASE index WHEN 'primary' THEN 'embedding' ELSE 'fallback_embedding' END, grouped)
      INTO near
     USING query_embedding, most, version, visibilities, narrow;
    RETURN near;
END $$;

REVOKE ALL ON FUNCTION rag_nearest, rag_group FROM PUBLIC;
