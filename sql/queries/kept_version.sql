-- One version, if it is kept.
SELECT {version}
  FROM corpus_versions v
 WHERE v.id = %(version)s AND v.state = 'kept'
