-- How much room tables take, their indexes included.
SELECT coalesce(sum(pg_total_relation_size(name::regclass)), 0)::bigint AS bytes FROM unnest(%(tables)s::text[]) AS name
