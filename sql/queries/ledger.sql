-- The ledger of runs: opened, counted, closed.

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

-- name: item_states
SELECT action, state, count(*) AS items, count(moved_to) AS moved
FROM sync_items WHERE run_id = %(run)s GROUP BY action, state

-- name: unfinished_items
SELECT uri, action, state, error FROM sync_items
WHERE run_id = %(run)s AND state IN ('planned', 'staged', 'failed') ORDER BY uri

-- name: alive
SELECT count(*) AS documents, coalesce(sum(children), 0)::int AS children, coalesce(sum(parents), 0)::int AS parents
FROM documents WHERE corpus = %(corpus)s AND deleted_at IS NULL

-- name: finish_run
UPDATE sync_runs SET
    state = %(state)s, error = %(error)s, documents = %(documents)s, finished_at = clock_timestamp(),
    children = jsonb_set(children, '{kept}', to_jsonb(%(kept)s::int))
WHERE id = %(run)s
