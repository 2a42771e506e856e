-- The ledger of runs: what the pipeline remembers about its own work. Readers need none of it.
-- Everything here starts with sync_ or is the cost ledger; rows_written of a run counts the other tables.

CREATE SEQUENCE read_sequence;
COMMENT ON SEQUENCE read_sequence IS
    'Order between runs: drawn when a document''s bytes are read, for tombstones before the listing starts.';

CREATE TABLE sync_runs (
    id               bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    corpus           text        NOT NULL REFERENCES corpora (name),
    key              text,                  -- the id of the outer run (Airflow's), if there is one
    state            text        NOT NULL CHECK (state IN ('running', 'succeeded', 'failed')),
    listing_sequence bigint      NOT NULL,  -- drawn before the listing started
    interval_start   timestamptz,           -- a backfill: only documents modified in [start, end), and no deletions
    interval_end     timestamptz,
    model_id         integer     NOT NULL REFERENCES embedding_models (id),
    planned          jsonb       NOT NULL DEFAULT '{}',  -- documents by what was to be done with them
    documents        jsonb       NOT NULL DEFAULT '{}',  -- documents by what became of them
    started_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at      timestamptz,
    parsed           integer     NOT NULL DEFAULT 0,
    embedded         integer     NOT NULL DEFAULT 0,  -- texts handed to the model
    reused           integer     NOT NULL DEFAULT 0,  -- texts that had a vector already
    rows_written     bigint      NOT NULL DEFAULT 0,
    children         jsonb       NOT NULL DEFAULT '{"inserted": 0, "kept": 0, "moved": 0, "deleted": 0}',
    seconds          jsonb       NOT NULL DEFAULT '{"plan": 0, "prepare": 0, "embed": 0, "publish": 0}',
    error            text,
    UNIQUE (corpus, key)
);
COMMENT ON TABLE sync_runs IS 'One row for each run over a corpus.';
CREATE INDEX sync_runs_order ON sync_runs (corpus, listing_sequence);  -- is there a run that listed later?

CREATE TABLE sync_documents (
    document_id   uuid    PRIMARY KEY,
    corpus        text    NOT NULL REFERENCES corpora (name),
    uri           text    NOT NULL,
    size          bigint  NOT NULL,         -- size, mtime and etag as they were when the bytes were read
    mtime_ns      bigint  NOT NULL,
    etag          text,
    trusted       boolean NOT NULL,         -- false: changed so shortly before that the mtime proves nothing
    content_hash  bytea   NOT NULL,         -- of the bytes last read, also when they went to quarantine
    read_sequence bigint  NOT NULL,         -- an older number never overwrites a newer one
    run_id        bigint  NOT NULL,
    read_at       timestamptz NOT NULL
);
COMMENT ON TABLE sync_documents IS 'The evidence of the last read, by which the next run tells what may have changed.';
CREATE INDEX sync_documents_corpus ON sync_documents (corpus);  -- planning reads a corpus whole

CREATE TABLE sync_items (
    run_id        bigint  NOT NULL REFERENCES sync_runs (id) ON DELETE CASCADE,
    document_id   uuid    NOT NULL,
    uri           text    NOT NULL,
    action        text    NOT NULL,         -- as corpus.planning decided
    stage         text,                     -- a document that is due: the first stage to do again
    batch         integer,                  -- null: nothing to prepare
    state         text    NOT NULL CHECK (state IN
                      ('planned', 'staged', 'published', 'unchanged', 'quarantined', 'failed', 'gone', 'superseded')),
    size          bigint,
    mtime_ns      bigint,
    etag          text,
    trusted       boolean,
    moved_from    uuid,
    moved_to      uuid,                     -- of a deleted one: where its bytes are now
    content_hash  bytea,
    permissions   text[],                   -- of a version that is served on while a newer one is in quarantine
    read_sequence bigint,
    staged        jsonb,                    -- document, parents and children to be; null once they are published
    keys          bytea[],                  -- of the staged children: what needs a vector before it can be published
    error         text,
    PRIMARY KEY (run_id, document_id)
);
COMMENT ON TABLE sync_items IS 'What a run does with each document that is not simply unchanged.';
CREATE INDEX sync_items_batch ON sync_items (run_id, batch);  -- a batch's task reads its documents

CREATE TABLE sync_texts (
    run_id bigint  NOT NULL REFERENCES sync_runs (id) ON DELETE CASCADE,
    key    bytea   NOT NULL,
    batch  integer NOT NULL,
    tokens integer NOT NULL,
    text   text    NOT NULL,                -- what is embedded, without the model's own prefix
    PRIMARY KEY (run_id, key)
);
COMMENT ON TABLE sync_texts IS 'The texts of a run that have no vector yet; emptied when the run is published.';
CREATE INDEX sync_texts_batch ON sync_texts (run_id, batch, tokens);  -- a batch's task reads its texts by length

CREATE TABLE cost_ledger (
    run_id   bigint      NOT NULL REFERENCES sync_runs (id) ON DELETE CASCADE,
    model_id integer     NOT NULL REFERENCES embedding_models (id),
    batch    integer     NOT NULL,
    texts    integer     NOT NULL,
    tokens   bigint      NOT NULL,
    price    numeric     NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE cost_ledger IS 'What was handed to a model, and its price at the rate of that day.';
CREATE INDEX cost_ledger_run ON cost_ledger (run_id);  -- summed by run
