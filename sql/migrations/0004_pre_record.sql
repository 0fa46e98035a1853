-- When: with old code live. What: who asked what, what was answered from which evidence, how useful it was.
-- magpie_recorder writes what it can't read back, magpie_keeper reads and removes; nobody else, the
-- tables' own owner included, sees a row: whoever answers visitors can't look into conversations.

CREATE TABLE chat_sessions (
    id text PRIMARY KEY,
    began_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL
);
CREATE INDEX chat_sessions_last ON chat_sessions (last_at);

-- A visitor's message with what was answered: neither is of use without the other. No CHECK on what
-- visitors say: the server's log quotes a row that fails one.
CREATE TABLE chat_messages (
    answer_id text PRIMARY KEY,
    session_id text NOT NULL REFERENCES chat_sessions ON DELETE CASCADE,
    asked_at timestamptz NOT NULL,
    question text NOT NULL,
    answer text NOT NULL,
    masked boolean NOT NULL,
    language text NOT NULL,
    page text NOT NULL,
    role text NOT NULL,
    outcome text NOT NULL,  -- as in `done`; else begun, unfinished, failed
    error text NOT NULL,
    intent text NOT NULL,
    routes text[] NOT NULL,
    version_id bigint NOT NULL,  -- no reference: versions are pruned
    model text NOT NULL,
    band text NOT NULL,
    calls integer NOT NULL,
    input_tokens integer NOT NULL,
    output_tokens integer NOT NULL,
    embedding_tokens integer NOT NULL,
    cost_usd double precision NOT NULL,
    timings_ms jsonb NOT NULL,
    verdicts jsonb NOT NULL,
    counts jsonb NOT NULL,
    safety text NOT NULL,
    confidence double precision,
    prompt_hash text NOT NULL,
    policy_hash text NOT NULL,
    receipt text NOT NULL
);
CREATE INDEX chat_messages_session ON chat_messages (session_id, asked_at);
CREATE INDEX chat_messages_asked ON chat_messages (asked_at);

-- What an answer was written from, by reference: texts stay in the corpus.
CREATE TABLE message_evidence (
    answer_id text NOT NULL REFERENCES chat_messages ON DELETE CASCADE,
    number integer NOT NULL,
    chunk_id bigint NOT NULL,  -- no reference: chunks go with their revision
    source_type text NOT NULL,
    source_key text NOT NULL,
    title text NOT NULL,
    url text,
    content_hash text NOT NULL,
    route text NOT NULL,
    score double precision NOT NULL,
    used boolean NOT NULL,
    PRIMARY KEY (answer_id, number)
);
CREATE INDEX message_evidence_source ON message_evidence (source_type, source_key);

-- No reference to the message: an answer that could not be recorded may be rated all the same.
CREATE TABLE feedback (
    answer_id text PRIMARY KEY,
    session_id text NOT NULL,
    usefulness smallint NOT NULL,
    used_question boolean,
    reason text NOT NULL,
    given_at timestamptz NOT NULL
);
CREATE INDEX feedback_session ON feedback (session_id);
CREATE INDEX feedback_given ON feedback (given_at);

-- The planner's statistics keep samples of what stands in a column, also of rows that are gone.
ALTER TABLE chat_sessions ALTER id SET STATISTICS 0;
ALTER TABLE chat_messages ALTER session_id SET STATISTICS 0, ALTER question SET STATISTICS 0,
    ALTER answer SET STATISTICS 0, ALTER page SET STATISTICS 0, ALTER receipt SET STATISTICS 0;
ALTER TABLE feedback ALTER session_id SET STATISTICS 0, ALTER reason SET STATISTICS 0;

ALTER TABLE chat_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE chat_messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_evidence ENABLE ROW LEVEL SECURITY;
ALTER TABLE feedback ENABLE ROW LEVEL SECURITY;
ALTER TABLE chat_sessions FORCE ROW LEVEL SECURITY;
ALTER TABLE chat_messages FORCE ROW LEVEL SECURITY;
ALTER TABLE message_evidence FORCE ROW LEVEL SECURITY;
ALTER TABLE feedback FORCE ROW LEVEL SECURITY;

CREATE POLICY recorded ON chat_sessions TO magpie_recorder USING (true);
CREATE POLICY recorded ON chat_messages TO magpie_recorder USING (true);
CREATE POLICY recorded ON message_evidence TO magpie_recorder USING (true);
CREATE POLICY recorded ON feedback TO magpie_recorder USING (true);
CREATE POLICY kept ON chat_sessions TO magpie_keeper USING (true);
CREATE POLICY kept ON chat_messages TO magpie_keeper USING (true);
CREATE POLICY kept ON message_evidence TO magpie_keeper USING (true);
CREATE POLICY kept ON feedback TO magpie_keeper USING (true);

-- What the recorder may look at is what finding its own row again needs.
GRANT INSERT ON chat_sessions, chat_messages, message_evidence, feedback TO magpie_recorder;
GRANT SELECT ON chat_sessions TO magpie_recorder;
GRANT SELECT (answer_id, session_id, outcome) ON chat_messages TO magpie_recorder;
GRANT SELECT (answer_id, number) ON message_evidence TO magpie_recorder;
GRANT SELECT (answer_id, session_id) ON feedback TO magpie_recorder;
GRANT UPDATE (last_at) ON chat_sessions TO magpie_recorder;
GRANT UPDATE (answer, outcome, error, intent, routes, version_id, model, band, calls, input_tokens, output_tokens,
    embedding_tokens, cost_usd, timings_ms, verdicts, counts, safety, confidence, receipt, language)
    ON chat_messages TO magpie_recorder;
GRANT UPDATE (usefulness, used_question, reason, given_at) ON feedback TO magpie_recorder;

GRANT SELECT, DELETE ON chat_sessions, chat_messages, message_evidence, feedback TO magpie_keeper;
GRANT SELECT (id, content, content_hash, source_id) ON rag_chunks TO magpie_keeper;
GRANT SELECT ON corpus_manifest, corpus_versions TO magpie_keeper;
CREATE POLICY kept ON rag_chunks FOR SELECT TO magpie_keeper USING (true);
CREATE POLICY kept ON corpus_manifest FOR SELECT TO magpie_keeper USING (true);
