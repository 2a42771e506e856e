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
-- What was approved was another plan's spending.
INSERT INTO sync_runs (corpus, key, kind, state, listing_sequence, interval_start, interval_end, reprocess, model_id)
VALUES (%(corpus)s, %(key)s, %(kind)s, 'running', nextval('read_sequence'), %(start)s, %(end)s, %(reprocess)s,
        %(model)s)
ON CONFLICT (corpus, key) DO UPDATE SET
    kind = excluded.kind, state = 'running', listing_sequence = excluded.listing_sequence,
    interval_start = excluded.interval_start, interval_end = excluded.interval_end, reprocess = excluded.reprocess,
    model_id = excluded.model_id, planned = '{}', documents = '{}', changes = '{}', spending = NULL, approved_by = NULL,
    finished_at = NULL, error = NULL, heartbeat_at = clock_timestamp()
RETURNING id

-- name: clear_items
-- In the order of their ids: a process that works by the plan before may hold several.
WITH locked AS MATERIALIZED (
    SELECT document_id FROM sync_items WHERE run_id = %(run)s ORDER BY document_id FOR UPDATE
)
DELETE FROM sync_items i USING locked l WHERE i.run_id = %(run)s AND i.document_id = l.document_id

-- name: fail_run
UPDATE sync_runs SET state = 'failed', error = %(error)s, finished_at = clock_timestamp()
WHERE id = %(run)s AND listing_sequence = %(listing_sequence)s

-- name: add_stage
-- What a stage did, added to what it did before: its mapped tasks and their later tries add up.
INSERT INTO sync_stages (run_id, stage, documents, chunks, tokens, reused, bytes, seconds, price)
VALUES (%(run)s, %(stage)s, %(documents)s, %(chunks)s, %(tokens)s, %(reused)s, %(bytes)s, %(seconds)s, %(price)s)
ON CONFLICT (run_id, stage) DO UPDATE SET
    documents = sync_stages.documents + excluded.documents, chunks = sync_stages.chunks + excluded.chunks,
    tokens = sync_stages.tokens + excluded.tokens, reused = sync_stages.reused + excluded.reused,
    bytes = sync_stages.bytes + excluded.bytes, seconds = sync_stages.seconds + excluded.seconds,
    price = sync_stages.price + excluded.price

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
SELECT r.*, (SELECT coalesce(jsonb_object_agg(s.stage, to_jsonb(s) - 'run_id' - 'stage'), '{}')
             FROM sync_stages s WHERE s.run_id = r.id) AS stages
FROM sync_runs r WHERE r.id = %(run)s

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

-- name: left_over
-- Staged by runs that failed before one that listed the whole source ended well: it did what they left undone.
SELECT DISTINCT i.run_id FROM sync_runs r JOIN sync_items i ON i.run_id = r.id
WHERE r.corpus = %(corpus)s AND r.state = 'failed' AND r.listing_sequence < %(listing_sequence)s AND i.staged IS NOT NULL
ORDER BY i.run_id

-- name: release_items
-- Failed, not done: who starts the old run again at a later stage is told, and who prepares it again has them back.
WITH left_over AS MATERIALIZED (
    SELECT document_id FROM sync_items WHERE run_id = %(run)s AND staged IS NOT NULL ORDER BY document_id FOR UPDATE
)
UPDATE sync_items i SET state = 'failed', error = %(error)s, staged = NULL, keys = NULL
FROM left_over l WHERE i.run_id = %(run)s AND i.document_id = l.document_id

-- name: forget_versions
-- A part at a time, so that no transaction is long.
WITH past AS MATERIALIZED (
    SELECT id FROM sync_versions
    WHERE corpus = %(corpus)s AND at < clock_timestamp() - make_interval(days => %(days)s)
    ORDER BY id LIMIT %(rows)s FOR UPDATE SKIP LOCKED
)
DELETE FROM sync_versions v USING past p WHERE v.id = p.id

-- name: forget_items
-- What became of each document in a run is history too; the run itself, and what it cost, stays.
WITH past AS MATERIALIZED (
    SELECT i.run_id, i.document_id FROM sync_runs r JOIN sync_items i ON i.run_id = r.id
    WHERE r.corpus = %(corpus)s AND r.finished_at < clock_timestamp() - make_interval(days => %(days)s)
    ORDER BY i.run_id, i.document_id LIMIT %(rows)s FOR UPDATE OF i SKIP LOCKED
)
DELETE FROM sync_items i USING past p WHERE i.run_id = p.run_id AND i.document_id = p.document_id
