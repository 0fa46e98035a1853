-- What other answers know of a source: its title and address.
DELETE FROM message_evidence WHERE source_type = %(source_type)s AND source_key = %(source_key)s
