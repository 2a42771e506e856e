-- Planning on the server, runs of every kind, leases, and what became of each document in each run.
-- Runs as kerf_owner.

ALTER TABLE corpora
    ADD COLUMN source text,                 -- where the last sync found the documents; another place is looked at twice
    ADD COLUMN cut_by jsonb;                -- the models that measure and that cuts look through, as the first sync had them
COMMENT ON COLUMN corpora.cut_by IS
    'Holds for a corpus whose configuration names no ruler: another embedding model does not cut its documents anew.';

ALTER TABLE documents ADD COLUMN stale_since timestamptz;
COMMENT ON COLUMN documents.stale_since IS
    'Since when newer bytes of the document are in quarantine, so that this version is not what the source has; null: it is.';

ALTER TABLE quarantine ADD COLUMN parser text;
COMMENT ON COLUMN quarantine.parser IS 'Name and version of the parser that failed; null: it came to none.';

ALTER TABLE sync_documents ADD COLUMN settings text NOT NULL DEFAULT '';
COMMENT ON COLUMN sync_documents.settings IS
    'Of all settings and code versions, when the document''s fingerprints were last found to be those of today.';

ALTER TABLE sync_runs
    ADD COLUMN kind         text NOT NULL DEFAULT 'sync' CHECK (kind IN ('sync', 'backfill', 'reprocess')),
    ADD COLUMN reprocess    jsonb,          -- {glob, stage, reason} of a reprocess
    ADD COLUMN changes      jsonb NOT NULL DEFAULT '{}',  -- documents by why there is something to do with them
    ADD COLUMN spending     jsonb,          -- what a changed configuration alone would embed; null: not counted yet
    ADD COLUMN approved_by  text,           -- whose word it is that this may be spent
    ADD COLUMN heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp();  -- of whatever process works for the run

ALTER TABLE sync_items ADD COLUMN forced boolean NOT NULL DEFAULT false;  -- done again from its stage, whatever is stored

CREATE TABLE sync_stages (
    run_id    bigint  NOT NULL REFERENCES sync_runs (id) ON DELETE CASCADE,
    stage     text    NOT NULL CHECK (stage IN ('plan', 'prepare', 'embed', 'publish')),
    documents bigint  NOT NULL DEFAULT 0,   -- listed, prepared, -, published
    chunks    bigint  NOT NULL DEFAULT 0,   -- -, children cut, texts embedded, children written
    tokens    bigint  NOT NULL DEFAULT 0,   -- handed to the model
    reused    bigint  NOT NULL DEFAULT 0,   -- tokens whose vector was there
    bytes     bigint  NOT NULL DEFAULT 0,   -- read from the source
    seconds   numeric NOT NULL DEFAULT 0,   -- of all processes together
    price     numeric NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, stage)
);
COMMENT ON TABLE sync_stages IS 'What each stage of a run did, and what it cost.';

CREATE TABLE sync_versions (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id       bigint      NOT NULL,      -- no reference: a version's history outlives its run
    corpus       text        NOT NULL,
    document_id  uuid        NOT NULL,
    uri          text        NOT NULL,
    event        text        NOT NULL CHECK (event IN ('published', 'deleted', 'quarantined')),
    version      integer,                   -- of the document, as it was published
    content_hash bytea,
    moved_from   uuid,
    recipe       text,
    parents      integer     NOT NULL DEFAULT 0,
    children     integer     NOT NULL DEFAULT 0,
    inserted     integer     NOT NULL DEFAULT 0,  -- children
    moved        integer     NOT NULL DEFAULT 0,
    deleted      integer     NOT NULL DEFAULT 0,
    at           timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE sync_versions IS 'What became of each document, when and in which run; kept for history.days.';
CREATE INDEX sync_versions_document ON sync_versions (document_id, id);  -- the history of a document
CREATE INDEX sync_versions_run ON sync_versions (corpus, run_id);        -- what a run did, and runs between two
CREATE INDEX sync_versions_at ON sync_versions (at);                     -- what is past its retention

CREATE TABLE sync_leases (
    run_id       bigint      NOT NULL REFERENCES sync_runs (id) ON DELETE CASCADE,
    stage        text        NOT NULL,
    batch        integer     NOT NULL,
    holder       uuid        NOT NULL,      -- drawn by the process; what it writes, it writes as long as this is here
    heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (run_id, stage, batch)
);
COMMENT ON TABLE sync_leases IS 'Which process works on a batch. One whose heartbeat has stopped loses it to the next that asks.';

GRANT SELECT, INSERT, UPDATE, DELETE ON sync_stages, sync_versions, sync_leases TO kerf_writer;
