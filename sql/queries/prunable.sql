-- Kept versions beyond the newest few; never the active one, never one that a question may still be reading.
SELECT id FROM (
    SELECT v.id, v.left_at, row_number() OVER (ORDER BY v.id DESC) AS age
      FROM corpus_versions v WHERE v.state = 'kept') AS ranked
 WHERE age > %(keep)s
   AND coalesce(left_at, '-infinity') <= clock_timestamp() - make_interval(secs => %(grace_s)s)
   AND NOT EXISTS (SELECT FROM corpus_active a WHERE a.version_id = ranked.id)
