-- What parsing says of a document beyond its text.
-- Runs as kerf_owner.

ALTER TABLE documents
    ADD COLUMN description text,
    ADD COLUMN fidelity    double precision CHECK (fidelity BETWEEN 0 AND 1),
    ADD COLUMN page_labels text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN documents.description IS 'The document''s own summary of itself.';
COMMENT ON COLUMN documents.fidelity IS
    'Share of the source''s own words that arrived, by a second reader; null: nothing independent could read it.';
COMMENT ON COLUMN documents.page_labels IS 'What pages call themselves (iv, 12), from page 1 on; {}: unknown.';
