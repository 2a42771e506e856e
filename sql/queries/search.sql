-- Searching, as kerf_reader. {cast} is vector(n) or halfvec(n), as the model's index has it.

-- name: search_corpus
SELECT m.id AS model_id, m.fingerprint, m.name, m.dimensions,
       (SELECT coalesce(sum(d.children), 0) FROM documents d
        WHERE d.corpus = c.name AND d.deleted_at IS NULL AND d.permissions && %(principals)s) AS children
FROM corpora c LEFT JOIN embedding_models m ON m.id = c.active_model
WHERE c.name = %(corpus)s

-- name: search_exact
-- Few permitted children: compare them all. MATERIALIZED keeps the planner from going through the index instead.
WITH permitted AS MATERIALIZED (
    SELECT c.id, c.key
    FROM children c JOIN documents d ON d.id = c.document_id
    WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL AND d.permissions && %(principals)s
)
SELECT p.id AS child_id, 1 - (e.embedding::{cast} <=> %(vector)s::{cast}) AS score
FROM permitted p JOIN embeddings e ON e.model_id = %(model)s AND e.key = p.key
ORDER BY e.embedding::{cast} <=> %(vector)s::{cast}, p.id
LIMIT %(limit)s

-- name: search_index
-- Many: walk the model's HNSW index outwards until enough permitted children are met.
SELECT c.id AS child_id, 1 - (e.embedding::{cast} <=> %(vector)s::{cast}) AS score
FROM embeddings e
JOIN children c ON c.key = e.key
JOIN documents d ON d.id = c.document_id
WHERE e.model_id = %(model)s AND d.corpus = %(corpus)s AND d.deleted_at IS NULL AND d.permissions && %(principals)s
ORDER BY e.embedding::{cast} <=> %(vector)s::{cast}
LIMIT %(limit)s

-- name: hits
SELECT c.id AS child_id, c.parent_id, c.document_id, d.uri, d.title, d.source_url,
       d.stale_since IS NOT NULL AS stale, c.section_path, c.pages,
       c.first_line, c.last_line, c.text, c.tokens, c.start_offset, c.end_offset,
       p.text AS context, p.tokens AS context_tokens, p.start_offset AS context_start,
       (SELECT jsonb_agg(jsonb_build_array(s.start_offset, s.end_offset, s.tokens) ORDER BY s.start_offset, s.end_offset)
        FROM children s WHERE s.parent_id = p.id) AS siblings
FROM children c
JOIN documents d ON d.id = c.document_id
JOIN parents p ON p.id = c.parent_id
WHERE c.id = ANY(%(ids)s)
