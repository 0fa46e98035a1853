-- Every version that is kept, newest first.
SELECT {version}
  FROM corpus_versions v
 WHERE v.state = 'kept'
 ORDER BY v.id DESC
