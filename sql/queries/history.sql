-- What is asked of the history: runs, documents, rates.

-- name: runs
SELECT r.*, (SELECT coalesce(jsonb_object_agg(s.stage, to_jsonb(s) - 'run_id' - 'stage'), '{}')
             FROM sync_stages s WHERE s.run_id = r.id) AS stages
FROM sync_runs r
WHERE %(corpus)s::text IS NULL OR r.corpus = %(corpus)s
ORDER BY r.id DESC LIMIT %(limit)s

-- name: run_items
-- What went wrong first. The counts are those of the version that the run published or buried.
SELECT i.document_id, i.uri, i.action, i.stage, i.forced, i.state, i.error, i.moved_from, m.uri AS moved_from_uri,
       v.version, v.inserted, v.moved, v.deleted
FROM sync_items i
JOIN sync_runs r ON r.id = i.run_id
LEFT JOIN documents m ON m.id = i.moved_from
LEFT JOIN LATERAL (
    SELECT * FROM sync_versions v
    WHERE v.document_id = i.document_id AND v.run_id = i.run_id ORDER BY v.id DESC LIMIT 1
) v ON true
WHERE i.run_id = %(run)s
ORDER BY array_position(ARRAY['failed', 'quarantined', 'planned', 'staged'], i.state) NULLS LAST, i.uri COLLATE "C"
LIMIT %(limit)s

-- name: count_items
SELECT count(*) AS items FROM sync_items WHERE run_id = %(run)s

-- name: versions_of
SELECT v.id, v.run_id, v.event, v.version, encode(v.content_hash, 'hex') AS content_hash, v.moved_from,
       m.uri AS moved_from_uri, v.recipe, v.parents, v.children, v.inserted, v.moved, v.deleted, v.at
FROM sync_versions v LEFT JOIN documents m ON m.id = v.moved_from
WHERE v.document_id = %(document)s ORDER BY v.id DESC

-- name: versions_between
-- How each document to which something happened in (start, end] stood before, and how it stands after.
SELECT a.document_id, a.uri, a.event, a.version, a.content_hash, a.moved_from,
       b.event AS event_before, b.version AS version_before, b.content_hash AS content_hash_before
FROM (
    SELECT DISTINCT document_id FROM sync_versions
    WHERE corpus = %(corpus)s AND at > %(start)s AND at <= %(end)s
) t
JOIN LATERAL (
    SELECT * FROM sync_versions v
    WHERE v.document_id = t.document_id AND v.at <= %(end)s ORDER BY v.id DESC LIMIT 1
) a ON true
LEFT JOIN LATERAL (
    SELECT * FROM sync_versions v
    WHERE v.document_id = t.document_id AND v.at <= %(start)s ORDER BY v.id DESC LIMIT 1
) b ON true
ORDER BY a.uri COLLATE "C"

-- name: near_addresses
-- In the same folder, of the same name, or with these words in it.
SELECT uri FROM (
    SELECT uri FROM documents WHERE corpus = %(corpus)s UNION SELECT uri FROM quarantine WHERE corpus = %(corpus)s
) known
WHERE regexp_replace(uri, '[^/]*$', '') = regexp_replace(%(uri)s, '[^/]*$', '')
   OR regexp_replace(uri, '^.*/', '') = regexp_replace(%(uri)s, '^.*/', '')
   OR strpos(lower(uri), lower(%(uri)s)) > 0
ORDER BY uri COLLATE "C" LIMIT %(limit)s

-- name: rated_stages
-- What the stages of the last runs that ended well did and how long it took, where they did anything.
SELECT stage, documents::float, bytes::float, tokens::float, seconds::float
FROM (
    SELECT s.*, row_number() OVER (PARTITION BY s.stage ORDER BY s.run_id DESC) AS age
    FROM sync_stages s JOIN sync_runs r ON r.id = s.run_id
    WHERE r.corpus = %(corpus)s AND r.state = 'succeeded' AND s.seconds > 0
      AND (s.documents > 0 OR s.bytes > 0 OR s.tokens > 0)
) rated
WHERE age <= %(runs)s
