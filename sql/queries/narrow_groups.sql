-- Groups of chunks that are too many to be sorted exactly and too few for the index of all to find them well.
SELECT g.grouped_by, g.value, rag_group_index(%(index)s, g.grouped_by, g.value) AS name
  FROM (SELECT 'source_type' AS grouped_by, source_type AS value, sum(chunk_count) AS chunks FROM rag_sources GROUP BY source_type
        UNION ALL SELECT 'scope', scope, sum(chunk_count) FROM rag_sources GROUP BY scope
        UNION ALL SELECT 'visibility', visibility, sum(chunk_count) FROM rag_sources GROUP BY visibility) AS g,
       (SELECT sum(chunk_count) AS chunks FROM rag_sources) AS every
 WHERE g.chunks > %(least)s AND g.chunks * %(share)s < every.chunks
   AND to_regclass(rag_group_index(%(index)s, g.grouped_by, g.value)) IS NULL
   AND EXISTS (SELECT FROM corpus_indexes i WHERE i.name = %(index)s)
 ORDER BY 1, 2
