-- What readers see: corpora, documents, parents and children.
-- Runs as kerf_owner. Ids are made by the pipeline (uuid5), never by the database.

CREATE TABLE embedding_models (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    fingerprint text    NOT NULL UNIQUE,  -- weights, tokenizer, pooling, normalisation, prefixes, precision
    name        text    NOT NULL,         -- as the configuration named it first
    dimensions  integer NOT NULL CHECK (dimensions > 0),
    max_tokens  integer NOT NULL CHECK (max_tokens > 0)
);
COMMENT ON TABLE embedding_models IS 'Every model that vectors were made with. Vectors of different models never meet.';

CREATE TABLE corpora (
    name         text    PRIMARY KEY,
    active_model integer REFERENCES embedding_models (id)  -- the model that searches ask; null before the first run
);
COMMENT ON TABLE corpora IS 'The corpora that have been synced at least once.';

CREATE TABLE documents (
    id                uuid    PRIMARY KEY,  -- uuid5 of corpus and address
    corpus            text    NOT NULL REFERENCES corpora (name),
    uri               text    NOT NULL,     -- address within the source, the same wherever the source is mounted
    content_hash      bytea   NOT NULL CHECK (length(content_hash) = 32),
    media_type        text    NOT NULL,
    title             text,
    source_url        text,
    language          text,                 -- ISO 639-1
    date              text,                 -- ISO 8601, as precise as the document says
    author            text,
    tags              text[]  NOT NULL,
    permissions       text[]  NOT NULL,     -- principals that may see it; {} is nobody
    recipe            text    NOT NULL,
    recipe_because    text    NOT NULL,     -- why the router chose it
    warnings          text[]  NOT NULL,
    parse_fingerprint text    NOT NULL,
    cut_fingerprint   text    NOT NULL,
    payload_hash      text    NOT NULL,     -- of the rules that gave permissions and metadata
    parents           integer NOT NULL,
    children          integer NOT NULL,
    version           integer NOT NULL,     -- counts the published versions, from 1
    moved_from        uuid,                 -- the document whose bytes came here
    deleted_at        timestamptz           -- a tombstone: no search finds it; it is revived when the source lists it again
);
COMMENT ON TABLE documents IS 'One row for each document that was ever published, tombstones included.';
-- Planning and counting read a corpus whole. The address is in no index: it may be longer than an index holds, and it
-- is in the id already.
CREATE INDEX documents_corpus ON documents (corpus);

CREATE TABLE parents (
    id           uuid    PRIMARY KEY,
    document_id  uuid    NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    ordinal      integer NOT NULL,
    start_offset integer NOT NULL,          -- code points into the document's text
    end_offset   integer NOT NULL,
    section_path text[]  NOT NULL,
    pages        integer[] NOT NULL,
    text         text    NOT NULL,
    tokens       integer NOT NULL,
    CHECK (0 <= start_offset AND start_offset < end_offset)
);
COMMENT ON TABLE parents IS 'What is read: the section, or the window, around a hit.';
CREATE INDEX parents_document ON parents (document_id);  -- a document's parents are replaced together

CREATE TABLE children (
    id           uuid    PRIMARY KEY,
    document_id  uuid    NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    parent_id    uuid    NOT NULL REFERENCES parents (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    ordinal      integer NOT NULL,
    start_offset integer NOT NULL,          -- code points into the document's text
    end_offset   integer NOT NULL,
    section_path text[]  NOT NULL,
    pages        integer[] NOT NULL,
    first_line   integer,                   -- where the document's text is the source itself
    last_line    integer,
    kind         text    NOT NULL,
    header       text    NOT NULL,          -- embedded before the text, with a blank line between
    text         text    NOT NULL,
    tokens       integer NOT NULL,          -- header and text as the model reads them, special tokens included
    key          bytea   NOT NULL CHECK (length(key) = 32),  -- SHA-256 of what is embedded
    CHECK (0 <= start_offset AND start_offset < end_offset)
);
COMMENT ON TABLE children IS 'What is found. Its vector is in embeddings, under its key and the model that is asked.';
CREATE INDEX children_document ON children (document_id);  -- a document's children are compared and replaced together
CREATE INDEX children_parent ON children (parent_id);      -- checks the reference when a parent goes
CREATE INDEX children_key ON children (key);               -- from a vector to the places where its text stands

CREATE TABLE parsed_documents (
    content_hash      bytea NOT NULL,
    parse_fingerprint text  NOT NULL,
    form              jsonb NOT NULL,       -- chunkers.document.Document.to_dict
    PRIMARY KEY (content_hash, parse_fingerprint)  -- equal bytes are parsed once, wherever they lie
);
COMMENT ON TABLE parsed_documents IS 'The parsed form, so that another recipe needs neither source nor parser.';

CREATE TABLE quarantine (
    document_id       uuid        PRIMARY KEY,
    corpus            text        NOT NULL REFERENCES corpora (name),
    uri               text        NOT NULL,
    stage             text        NOT NULL,
    error_class       text        NOT NULL,
    message           text        NOT NULL,
    hint              text        NOT NULL,
    media_type        text,                  -- null: not even that could be told
    content_hash      bytea       NOT NULL,
    parse_fingerprint text        NOT NULL,  -- of parser, limits and cutting: tried again when this or the bytes change
    attempts          integer     NOT NULL,
    first_failed_at   timestamptz NOT NULL,
    last_failed_at    timestamptz NOT NULL,
    retry             boolean     NOT NULL   -- an operator asked for another try
);
COMMENT ON TABLE quarantine IS 'Documents that cannot be processed; their last good version stays searchable.';
CREATE INDEX quarantine_corpus ON quarantine (corpus);  -- listed by corpus
