-- Planning: the run, the ledger and the items.

-- name: lock
-- One at a time until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended(%(what)s, 0))

-- name: ensure_corpus
INSERT INTO corpora (name) VALUES (%(corpus)s) ON CONFLICT DO NOTHING

-- name: find_model
SELECT id FROM embedding_models WHERE fingerprint = %(fingerprint)s

-- name: register_model
SELECT id, made FROM register_embedding_model(%(fingerprint)s, %(name)s, %(dimensions)s, %(max_tokens)s)

-- name: find_run
SELECT id FROM sync_runs WHERE corpus = %(corpus)s AND key = %(key)s

-- name: begin_run
-- A run that is planned anew goes on counting: what its earlier tries wrote, parsed and embedded is written.
INSERT INTO sync_runs (corpus, key, state, listing_sequence, interval_start, interval_end, model_id)
VALUES (%(corpus)s, %(key)s, 'running', nextval('read_sequence'), %(start)s, %(end)s, %(model)s)
ON CONFLICT (corpus, key) DO UPDATE SET
    state = 'running', listing_sequence = excluded.listing_sequence,
    interval_start = excluded.interval_start, interval_end = excluded.interval_end,
    model_id = excluded.model_id, planned = '{}', documents = '{}', finished_at = NULL, error = NULL
RETURNING id

-- name: clear_items
DELETE FROM sync_items WHERE run_id = %(run)s

-- name: clear_texts
DELETE FROM sync_texts WHERE run_id = %(run)s

-- name: known
-- An operator's word for another try empties the fingerprint that the failure had, so that it differs from today's.
-- `read_since`: another run read it after this one's listing began, which may well lack it.
SELECT d.document_id, d.uri, l.size, l.mtime_ns, l.etag, coalesce(l.trusted, false) AS trusted,
       p.content_hash, p.parse_fingerprint, p.cut_fingerprint, p.payload_hash, p.media_type, p.recipe,
       p.deleted_at IS NOT NULL AS deleted, coalesce(l.read_sequence > %(listing_sequence)s::bigint, false) AS read_since,
       q.content_hash AS quarantined_hash, q.media_type AS quarantined_media_type,
       CASE WHEN q.retry THEN '' ELSE q.parse_fingerprint END AS quarantined_fingerprint
FROM (
    SELECT id AS document_id, uri FROM documents WHERE corpus = %(corpus)s
    UNION
    SELECT document_id, uri FROM quarantine WHERE corpus = %(corpus)s
) d
LEFT JOIN documents p ON p.id = d.document_id
LEFT JOIN sync_documents l ON l.document_id = d.document_id
LEFT JOIN quarantine q ON q.document_id = d.document_id

-- name: insert_item
INSERT INTO sync_items (run_id, document_id, uri, action, stage, batch, state, size, mtime_ns, etag, trusted,
                        moved_from, moved_to, content_hash, permissions)
VALUES (%(run)s, %(document)s, %(uri)s, %(action)s, %(stage)s, %(batch)s, 'planned', %(size)s, %(mtime_ns)s, %(etag)s,
        %(trusted)s, %(moved_from)s, %(moved_to)s, %(content_hash)s, %(permissions)s)

-- name: set_planned
-- No row: the run was planned anew meanwhile, and that plan holds.
UPDATE sync_runs SET planned = %(planned)s, documents = %(planned)s
WHERE id = %(run)s AND listing_sequence = %(listing_sequence)s

-- name: fail_run
UPDATE sync_runs SET state = 'failed', error = %(error)s, finished_at = clock_timestamp()
WHERE id = %(run)s AND listing_sequence = %(listing_sequence)s

-- name: add_seconds
UPDATE sync_runs
SET seconds = jsonb_set(seconds, ARRAY[%(stage)s::text], to_jsonb((seconds ->> %(stage)s::text)::numeric + %(seconds)s::numeric))
WHERE id = %(run)s

-- name: add_counts
UPDATE sync_runs SET
    parsed = parsed + %(parsed)s, embedded = embedded + %(embedded)s,
    rows_written = rows_written + %(rows)s,
    children = jsonb_build_object(
        'inserted', (children ->> 'inserted')::int + %(inserted)s, 'kept', (children ->> 'kept')::int,
        'moved', (children ->> 'moved')::int + %(moved)s, 'deleted', (children ->> 'deleted')::int + %(deleted)s)
WHERE id = %(run)s

-- name: set_reused
-- Once: later tries find what this run itself embedded.
UPDATE sync_runs SET reused = %(reused)s WHERE id = %(run)s AND embedded = 0 AND reused = 0

-- name: run
SELECT * FROM sync_runs WHERE id = %(run)s

-- name: active_model
SELECT m.id, m.fingerprint, m.name, m.dimensions
FROM corpora c JOIN embedding_models m ON m.id = c.active_model
WHERE c.name = %(corpus)s
