-- What is known to be missing of a document that was published although it is partial.
-- Runs as kerf_owner.

ALTER TABLE documents ADD COLUMN missing text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN documents.missing IS
    'What its parser knows that it did not get; {}: nothing. With fidelity it tells whether the corpus accepts it as it is.';

UPDATE documents d SET missing = ARRAY(SELECT jsonb_array_elements_text(p.form -> 'missing'))
FROM parsed_documents p
WHERE p.content_hash = d.content_hash AND p.parse_fingerprint = d.parse_fingerprint
  AND jsonb_typeof(p.form -> 'missing') = 'array' AND p.form -> 'missing' <> '[]';
