-- Only the owner creates in the schema that its functions trust; and from here on it does.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CREATE, USAGE ON SCHEMA public TO magpie_owner;
GRANT USAGE ON SCHEMA public TO magpie_writer, magpie_reader, magpie_recorder, magpie_keeper;
SET LOCAL ROLE magpie_owner
