-- Whether any chunk has a vector of either model.
SELECT EXISTS (SELECT FROM rag_chunks WHERE embedding IS NOT NULL) AS embedding,
       EXISTS (SELECT FROM rag_chunks WHERE fallback_embedding IS NOT NULL) AS fallback_embedding
