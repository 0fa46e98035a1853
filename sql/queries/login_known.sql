-- Whether a role of that name exists.
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = %(name)s) AS known
