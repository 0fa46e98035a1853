-- The next page of an owner's rows.
FETCH {count} FROM magpie_rows
