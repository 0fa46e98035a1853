-- An owner's own query as a cursor, so that its rows come in pages of one snapshot. {query} is put in as
-- it stands: a single statement in a read-only transaction, as a role that the deployment chose for it.
DECLARE magpie_rows NO SCROLL CURSOR FOR {query}
