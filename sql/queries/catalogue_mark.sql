-- What changes where the sources of a published version do: it was purged of one.
SELECT v.purges AS mark FROM corpus_versions v WHERE v.id = %(version)s AND v.state = 'kept'
