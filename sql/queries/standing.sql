-- Which of these passages stand in a kept version; no row where the version is gone, `hashes` of length 32.
SELECT v.id,
       ARRAY(SELECT DISTINCT left(c.content_hash, 32)
               FROM corpus_manifest m JOIN rag_chunks c ON c.source_id = m.source_id
              WHERE m.version_id = v.id AND left(c.content_hash, 32) = ANY (%(hashes)s)) AS standing
  FROM corpus_versions v
 WHERE v.id = %(version)s AND v.state = 'kept'
