-- The five roles, made before every migration run; none can log in.
-- magpie_owner owns tables and functions, magpie_writer publishes, magpie_reader answers,
-- magpie_recorder records answers and feedback, magpie_keeper reads what was recorded and removes it.
-- Roles belong to the whole cluster: two databases, or two processes, may be here at once.
DO $roles$
DECLARE
    roles CONSTANT name[] := ARRAY['magpie_owner', 'magpie_writer', 'magpie_reader', 'magpie_recorder', 'magpie_keeper'];
    wanted name;
BEGIN
    FOREACH wanted IN ARRAY roles LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;  -- the other one was faster
            END;
        END IF;
    END LOOP;

    -- Since Postgres 16 whoever makes a role may grant it, and has to before using it.
    FOREACH wanted IN ARRAY roles LOOP
        IF NOT pg_has_role(current_user, wanted, 'MEMBER') THEN
            EXECUTE format('GRANT %I TO %I', wanted, current_user);
        END IF;
    END LOOP;

    -- COPY does not work under row-level security, save for the owner and who inherits from it.
    IF NOT pg_has_role('magpie_writer', 'magpie_owner', 'USAGE') THEN
        GRANT magpie_owner TO magpie_writer;
    END IF;
END
$roles$;
