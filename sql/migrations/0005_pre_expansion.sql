-- When: before the code that embeds questions with chunks. What: where those questions stand.

-- Questions that a chunk answers. They are embedded with it and never shown, cited or searched by word.
ALTER TABLE rag_chunks ADD COLUMN questions text NOT NULL DEFAULT '';

-- What a chat model asked of a text, so that it is asked once.
CREATE TABLE expansion_cache (
    model text NOT NULL,
    text_hash text NOT NULL,
    questions text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (model, text_hash)
);
