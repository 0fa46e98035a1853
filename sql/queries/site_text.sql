-- The site file that a version was made with.
SELECT site_text FROM corpus_versions WHERE id = %(version)s
