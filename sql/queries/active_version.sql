-- The one version that answers.
SELECT {version}
  FROM corpus_versions v JOIN corpus_active now ON now.version_id = v.id
