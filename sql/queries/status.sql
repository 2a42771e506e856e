-- What an operator asks.

-- name: status
SELECT c.name AS corpus, m.name AS model,
       (SELECT count(*) FROM documents d WHERE d.corpus = c.name AND d.deleted_at IS NULL) AS documents,
       (SELECT count(*) FROM documents d WHERE d.corpus = c.name AND d.deleted_at IS NOT NULL) AS tombstones,
       (SELECT coalesce(sum(d.parents), 0)::int FROM documents d WHERE d.corpus = c.name AND d.deleted_at IS NULL) AS parents,
       (SELECT coalesce(sum(d.children), 0)::int FROM documents d WHERE d.corpus = c.name AND d.deleted_at IS NULL) AS children,
       (SELECT count(*) FROM documents d
        WHERE d.corpus = c.name AND d.deleted_at IS NULL AND d.stale_since IS NOT NULL) AS stale,
       (SELECT count(*) FROM quarantine q WHERE q.corpus = c.name) AS quarantined, c.cut_by,
       r.id AS run_id, r.kind AS run_kind, r.state AS run_state, r.started_at, r.finished_at, r.error AS run_error,
       (SELECT max(s.finished_at) FROM sync_runs s WHERE s.corpus = c.name AND s.state = 'succeeded') AS fresh_at
FROM corpora c
LEFT JOIN embedding_models m ON m.id = c.active_model
LEFT JOIN LATERAL (
    SELECT * FROM sync_runs s WHERE s.corpus = c.name ORDER BY s.id DESC LIMIT 1
) r ON true
WHERE %(corpus)s::text IS NULL OR c.name = %(corpus)s
ORDER BY c.name

-- name: quarantine_list
SELECT q.corpus, q.uri, q.stage, q.error_class, q.message, q.hint, q.media_type, q.parser,
       encode(q.content_hash, 'hex') AS content_hash, q.attempts, q.first_failed_at, q.last_failed_at, q.retry,
       d.id IS NOT NULL AS last_good_version_served, d.stale_since
FROM quarantine q LEFT JOIN documents d ON d.id = q.document_id AND d.deleted_at IS NULL
WHERE %(corpus)s::text IS NULL OR q.corpus = %(corpus)s
ORDER BY q.corpus, q.uri

-- name: quarantine_retry
UPDATE quarantine SET retry = true
WHERE corpus = %(corpus)s AND (%(uri)s::text IS NULL OR uri = %(uri)s)

-- name: quarantine_forget
DELETE FROM quarantine WHERE corpus = %(corpus)s AND uri = %(uri)s
