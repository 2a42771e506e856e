-- Preparing: reading items, staging what they will become, quarantine.

-- name: batches
SELECT batch AS number, count(*) AS documents, coalesce(sum(size), 0)::bigint AS bytes
FROM sync_items WHERE run_id = %(run)s AND batch IS NOT NULL GROUP BY batch ORDER BY batch

-- name: batch_items
SELECT i.document_id, i.uri, i.action, i.stage, i.size, i.mtime_ns, i.etag, i.trusted, i.moved_from, i.content_hash,
       i.forced, d.parse_fingerprint
FROM sync_items i LEFT JOIN documents d ON d.id = i.document_id
WHERE i.run_id = %(run)s AND i.batch = %(batch)s AND i.state IN ('planned', 'failed') ORDER BY i.uri

-- name: next_read_sequence
SELECT nextval('read_sequence') AS number

-- name: parsed_form
SELECT form FROM parsed_documents WHERE content_hash = %(content_hash)s AND parse_fingerprint = %(parse_fingerprint)s

-- name: hold_back
-- The last good version is served on: under today's permissions, and marked as not what the source has.
UPDATE documents SET permissions = %(permissions)s, stale_since = coalesce(stale_since, clock_timestamp())
WHERE id = %(document)s AND deleted_at IS NULL
  AND (stale_since IS NULL OR permissions IS DISTINCT FROM %(permissions)s)

-- name: own_words
-- What a document says of itself; a form is as long as its text.
SELECT form || '{"text": "", "blocks": []}' AS form
FROM parsed_documents WHERE content_hash = %(content_hash)s AND parse_fingerprint = %(parse_fingerprint)s

-- name: keep_parsed
-- Where one is stored, another came out: the document was to be parsed again.
INSERT INTO parsed_documents AS p (content_hash, parse_fingerprint, form)
VALUES (%(content_hash)s, %(parse_fingerprint)s, %(form)s)
ON CONFLICT (content_hash, parse_fingerprint) DO UPDATE SET form = excluded.form WHERE p.form <> excluded.form

-- name: claim_item
-- Locks an item that is still to be worked on. No row: another process was faster.
SELECT document_id FROM sync_items
WHERE run_id = %(run)s AND document_id = %(document)s AND state = ANY(%(states)s) FOR UPDATE

-- name: stage_item
UPDATE sync_items SET
    state = 'staged', staged = %(staged)s, keys = %(keys)s, read_sequence = %(read_sequence)s, content_hash = %(content_hash)s,
    size = %(size)s, mtime_ns = %(mtime_ns)s, etag = %(etag)s, trusted = %(trusted)s, error = NULL
WHERE run_id = %(run)s AND document_id = %(document)s

-- name: end_item
UPDATE sync_items SET state = %(state)s, error = %(error)s, staged = NULL, keys = NULL
WHERE run_id = %(run)s AND document_id = %(document)s

-- name: quarantine
INSERT INTO quarantine (document_id, corpus, uri, stage, error_class, message, hint, media_type, parser, content_hash,
                        parse_fingerprint, attempts, first_failed_at, last_failed_at, retry)
VALUES (%(document)s, %(corpus)s, %(uri)s, %(stage)s, %(error_class)s, %(message)s, %(hint)s, %(media_type)s, %(parser)s,
        %(content_hash)s, %(parse_fingerprint)s, 1, clock_timestamp(), clock_timestamp(), false)
ON CONFLICT (document_id) DO UPDATE SET
    stage = excluded.stage, error_class = excluded.error_class, message = excluded.message, hint = excluded.hint,
    media_type = excluded.media_type, parser = excluded.parser, content_hash = excluded.content_hash, parse_fingerprint = excluded.parse_fingerprint,
    attempts = quarantine.attempts + 1, last_failed_at = excluded.last_failed_at, retry = false

-- name: as_one_snapshot
-- All statements of the transaction see the same version of a document.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ

-- name: stored_children
SELECT c.id, c.parent_id, c.ordinal, c.start_offset, c.end_offset, c.section_path, c.pages, c.first_line, c.last_line,
       c.kind, c.header, c.text, c.tokens, c.key, c.context_id, c.context_start, c.context_end
FROM children c WHERE c.document_id = %(document)s

-- name: stored_parents
SELECT id, ordinal, start_offset, end_offset, section_path, pages, text, tokens
FROM parents WHERE document_id = %(document)s

-- name: stored_contexts
SELECT id, text, tokens FROM contexts WHERE document_id = %(document)s

-- name: missing_keys
SELECT k.key
FROM unnest(%(keys)s::bytea[]) AS k (key)
WHERE NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = k.key)
