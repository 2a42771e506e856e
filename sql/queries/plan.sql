-- Planning: the listing held against the ledger, the items.

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
                        moved_from, moved_to, content_hash, permissions, forced)
VALUES (%(run)s, %(document)s, %(uri)s, %(action)s, %(stage)s, %(batch)s, 'planned', %(size)s, %(mtime_ns)s, %(etag)s,
        %(trusted)s, %(moved_from)s, %(moved_to)s, %(content_hash)s, %(permissions)s, %(forced)s)

-- name: set_planned
-- No row: the run was planned anew meanwhile, and that plan holds.
UPDATE sync_runs SET planned = %(planned)s, documents = %(planned)s
WHERE id = %(run)s AND listing_sequence = %(listing_sequence)s
