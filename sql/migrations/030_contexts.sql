-- Late chunking: a child's vector may be that of its place in a longer text, which the model reads once for several.

CREATE TABLE contexts (
    id          uuid    PRIMARY KEY,        -- uuid5 of document and text
    document_id uuid    NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    text        text    NOT NULL,           -- exactly what is embedded, its header included
    tokens      integer NOT NULL            -- as the model reads it, special tokens included
);
COMMENT ON TABLE contexts IS 'What a model reads at once for several children. For the pipeline: readers need none of it.';
CREATE INDEX contexts_document ON contexts (document_id);  -- a document's contexts are replaced together

ALTER TABLE children
    ADD COLUMN context_id    uuid REFERENCES contexts (id) DEFERRABLE INITIALLY DEFERRED,
    ADD COLUMN context_start integer,       -- code points into the context's text
    ADD COLUMN context_end   integer,
    ADD CHECK ((context_id IS NULL) = (context_start IS NULL) AND (context_id IS NULL) = (context_end IS NULL)),
    ADD CHECK (0 <= context_start AND context_start < context_end);
COMMENT ON COLUMN children.context_id IS 'What is embedded in place of header and text; the key is of that text and the place in it.';
CREATE INDEX children_context ON children (context_id) WHERE context_id IS NOT NULL;  -- when a context goes

ALTER TABLE sync_texts ADD COLUMN places jsonb;  -- [{key, start, end}] of a text that is read for places in it

GRANT SELECT, INSERT, DELETE ON contexts TO kerf_writer;
