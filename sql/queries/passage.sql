-- The columns of a passage; stands where a search says {passage}. The manifest is asked source by source there,
-- behind OFFSET 0: of a version that is new the planner knows nothing, takes its manifest for one row and would
-- begin with it, and so with every chunk of the corpus.
c.id AS chunk_id, c.chunk_index, c.content, c.content_hash, c.visibility,
       s.id AS revision_id, s.source_type, s.source_key, s.title, s.url, m.path, s.origin, s.scope, s.language,
       s.published, s.person_key, s.reference_rank, s.metadata || c.metadata AS metadata
