-- Whether a chunk came in that has no vector of the next model yet.
SELECT EXISTS (SELECT FROM rag_chunks WHERE next_{column} IS NULL) AS missing
