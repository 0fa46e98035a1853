-- One version, kept or in the making.
SELECT {version}
  FROM corpus_versions v
 WHERE v.id = %(version)s
