-- What the answer was written from.
INSERT INTO message_evidence (answer_id, number, chunk_id, source_type, source_key, title, url, content_hash, route, score, used)
SELECT %(answer_id)s, given.*
  FROM unnest(%(numbers)s::int[], %(chunks)s::bigint[], %(types)s::text[], %(keys)s::text[], %(titles)s::text[], %(urls)s::text[],
              %(hashes)s::text[], %(routes)s::text[], %(scores)s::float8[], %(used)s::boolean[]) AS given
ON CONFLICT (answer_id, number) DO NOTHING
