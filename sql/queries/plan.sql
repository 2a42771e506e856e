-- Planning: the listing held against the ledger, the items.
--
-- All of it happens in temporary tables of the planning session, so that a corpus of any size needs no memory but the
-- database's, and a plan that is given up leaves nothing behind. Only what is not plainly unchanged is decided on outside.

-- name: clear_texts
DELETE FROM sync_texts WHERE run_id = %(run)s

-- name: make_plan_tables
DROP TABLE IF EXISTS
    pg_temp.sync_listing, pg_temp.sync_compared, pg_temp.sync_hashes, pg_temp.sync_moves, pg_temp.sync_plan,
    pg_temp.sync_tasks, pg_temp.sync_current;
CREATE TEMPORARY TABLE sync_listing (  -- as the source lists it
    uri text NOT NULL, size bigint NOT NULL, mtime_ns bigint NOT NULL, etag text
) ON COMMIT PRESERVE ROWS;
ALTER TABLE pg_temp.sync_listing ALTER uri SET STATISTICS 10;  -- no two are alike, which a small sample tells too
CREATE TEMPORARY TABLE sync_compared (  -- what is not plainly unchanged; where it is not listed, it is gone
    uri text NOT NULL, listed boolean NOT NULL, size bigint, mtime_ns bigint, etag text,
    same boolean NOT NULL,   -- the evidence proves that the bytes are those last read
    empty boolean NOT NULL,  -- nothing is published here or held back: bytes may have moved here
    document_id uuid, known_size bigint, known_mtime_ns bigint, known_etag text, trusted boolean, read_hash bytea,
    read_sequence bigint, settings text, content_hash bytea, parse_fingerprint text, cut_fingerprint text,
    payload_hash text, permissions text[], media_type text, recipe text, deleted boolean,
    quarantined_hash bytea, quarantined_fingerprint text, quarantined_media_type text,
    missing text[], fidelity double precision
) ON COMMIT PRESERVE ROWS;
CREATE TEMPORARY TABLE sync_hashes (  -- of what had to be read
    uri text NOT NULL, digest bytea, vanished boolean NOT NULL
) ON COMMIT PRESERVE ROWS;
CREATE TEMPORARY TABLE sync_moves (  -- what is gone from one address and lies at another
    old_uri text NOT NULL, old_id uuid NOT NULL, new_uri text NOT NULL,
    held boolean NOT NULL    -- it lies there in quarantine
) ON COMMIT PRESERVE ROWS;
CREATE TEMPORARY TABLE sync_plan (  -- the items to be
    document_id uuid NOT NULL, uri text NOT NULL, action text NOT NULL, stage text, size bigint, mtime_ns bigint,
    etag text, trusted boolean, moved_from uuid, moved_to uuid, content_hash bytea, parse_fingerprint text,
    permissions text[], forced boolean NOT NULL,
    kind text                -- null: nothing to prepare
) ON COMMIT PRESERVE ROWS;
CREATE TEMPORARY TABLE sync_tasks (document_id uuid NOT NULL, batch integer NOT NULL) ON COMMIT PRESERVE ROWS;
CREATE TEMPORARY TABLE sync_current (  -- found to be as today's settings would have them
    document_id uuid NOT NULL, read_sequence bigint NOT NULL
) ON COMMIT PRESERVE ROWS

-- name: copy_listing
COPY sync_listing (uri, size, mtime_ns, etag) FROM STDIN

-- name: analyze_listing
ANALYZE sync_listing (uri)

-- name: plan_memory
-- Until the transaction ends: enough to hold 100,000 documents against as many without files in between.
SET LOCAL work_mem = '64MB'

-- name: compare
-- An operator's word for another try empties the fingerprint that the failure had, so that it differs from today's.
-- What another run read after this one's listing began may well be there, though the listing lacks it. `part`: the
-- listing is a part of the source, so that nothing is gone. `known`: only what the ledger holds alive is looked at.
-- `too_long`: documents that another embedding model could not read as they are cut.
INSERT INTO sync_compared
SELECT coalesce(n.uri, k.uri), n.uri IS NOT NULL, n.size, n.mtime_ns, n.etag, coalesce(e.same, false),
       coalesce(k.quarantined_hash IS NULL AND (k.deleted OR k.last_hash IS NULL), true), k.document_id, k.size,
       k.mtime_ns, k.etag, k.trusted,
       k.read_hash, k.read_sequence, k.settings, k.content_hash, k.parse_fingerprint, k.cut_fingerprint, k.payload_hash,
       k.permissions, k.media_type, k.recipe, k.deleted, k.quarantined_hash, k.quarantined_fingerprint,
       k.quarantined_media_type, k.missing, k.fidelity
FROM sync_listing n
FULL JOIN (
    SELECT coalesce(p.id, q.document_id) AS document_id, coalesce(p.uri, q.uri) AS uri, l.size, l.mtime_ns, l.etag,
           coalesce(l.trusted, false) AS trusted, l.content_hash AS read_hash, l.read_sequence,
           coalesce(l.settings, '') AS settings, p.content_hash, p.parse_fingerprint, p.cut_fingerprint, p.payload_hash,
           p.permissions, p.media_type, p.recipe, p.missing, p.fidelity, p.deleted_at IS NOT NULL AS deleted,
           q.content_hash AS quarantined_hash, q.media_type AS quarantined_media_type,
           CASE WHEN q.retry THEN '' ELSE q.parse_fingerprint END AS quarantined_fingerprint,
           coalesce(l.content_hash, q.content_hash, p.content_hash) AS last_hash
    FROM (SELECT * FROM documents WHERE corpus = %(corpus)s) p
    FULL JOIN (SELECT * FROM quarantine WHERE corpus = %(corpus)s) q ON q.document_id = p.id
    LEFT JOIN sync_documents l ON l.document_id = coalesce(p.id, q.document_id)
) k ON k.uri = n.uri
CROSS JOIN LATERAL (
    SELECT k.trusted AND NOT %(verify)s AND n.size = k.size
           AND CASE WHEN n.etag IS NULL THEN n.mtime_ns = k.mtime_ns ELSE n.etag = k.etag END AS same
) e
WHERE CASE
    WHEN n.uri IS NULL THEN NOT (
        %(part)s OR (k.deleted AND k.quarantined_hash IS NULL)
        OR coalesce(k.read_sequence > %(listing_sequence)s::bigint, false)
    )
    WHEN k.uri IS NULL OR k.deleted THEN NOT %(known)s
    ELSE %(known)s OR NOT coalesce(
        e.same AND n.mtime_ns = k.mtime_ns AND n.etag IS NOT DISTINCT FROM k.etag
        AND (n.etag IS NOT NULL OR n.mtime_ns <= %(settled_ns)s::bigint)
        AND k.settings = %(settings)s AND k.read_hash = k.content_hash AND k.quarantined_hash IS NULL
        AND k.document_id <> ALL(%(too_long)s::uuid[]), false)
END

-- name: analyze_compared
ANALYZE sync_compared

-- name: compared_sizes
SELECT (SELECT count(*) FROM sync_listing) AS all_listed,
       count(*) FILTER (WHERE listed) AS listed, count(*) FILTER (WHERE NOT listed) AS gone
FROM sync_compared

-- name: to_read
-- What the evidence says nothing of; and where something is gone, the addresses that it may have moved to.
SELECT uri, size, mtime_ns, etag FROM sync_compared c
WHERE listed AND CASE WHEN NOT empty THEN NOT same ELSE
    size IN (SELECT known_size FROM sync_compared WHERE NOT listed AND known_size IS NOT NULL)
    OR EXISTS (SELECT FROM sync_compared WHERE NOT listed AND known_size IS NULL)
END
ORDER BY uri COLLATE "C"

-- name: copy_hashes
COPY sync_hashes (uri, digest, vanished) FROM STDIN

-- name: pair_moves
-- Equal bytes, one to one, in the order of addresses.
WITH gone AS (
    SELECT uri, document_id, d.digest, row_number() OVER (PARTITION BY d.digest ORDER BY uri COLLATE "C") AS number
    FROM sync_compared, LATERAL (SELECT coalesce(read_hash, quarantined_hash, content_hash) AS digest) d
    WHERE NOT listed AND d.digest IS NOT NULL
), arrived AS (
    SELECT c.uri, h.digest, row_number() OVER (PARTITION BY h.digest ORDER BY c.uri COLLATE "C") AS number
    FROM sync_compared c JOIN sync_hashes h USING (uri)
    WHERE c.listed AND c.empty AND h.digest IS NOT NULL
)
INSERT INTO sync_moves (old_uri, old_id, new_uri, held)
SELECT gone.uri, gone.document_id, arrived.uri, false FROM gone JOIN arrived USING (digest, number)

-- name: pair_held
-- Bytes that went into quarantine elsewhere, where nothing is served, have not vanished: the version at their old address
-- is served on until they can be published.
WITH gone AS (
    SELECT uri, document_id, d.digest, row_number() OVER (PARTITION BY d.digest ORDER BY uri COLLATE "C") AS number
    FROM sync_compared c, LATERAL (SELECT coalesce(read_hash, quarantined_hash, content_hash) AS digest) d
    WHERE NOT listed AND d.digest IS NOT NULL AND NOT EXISTS (SELECT FROM sync_moves m WHERE m.old_uri = c.uri)
), held AS (
    SELECT c.uri, d.digest, row_number() OVER (PARTITION BY d.digest ORDER BY c.uri COLLATE "C") AS number
    FROM sync_compared c LEFT JOIN sync_hashes h USING (uri),
    LATERAL (SELECT coalesce(h.digest, CASE WHEN c.same THEN c.quarantined_hash END) AS digest) d
    WHERE c.listed AND NOT c.empty AND (c.content_hash IS NULL OR c.deleted) AND c.quarantined_hash IS NOT NULL
      AND d.digest IS NOT NULL AND NOT coalesce(h.vanished, false)
)
INSERT INTO sync_moves (old_uri, old_id, new_uri, held)
SELECT gone.uri, gone.document_id, held.uri, true FROM gone JOIN held USING (digest, number)

-- name: compared
-- What went away between being listed and being read is left out: the next listing tells whether it is gone.
SELECT c.*, h.digest, here.old_id AS moved_from, coalesce(here.held, false) AS held, there.new_uri AS moved_to
FROM sync_compared c
LEFT JOIN sync_hashes h USING (uri)
LEFT JOIN sync_moves here ON here.new_uri = c.uri
LEFT JOIN sync_moves there ON there.old_uri = c.uri
WHERE NOT coalesce(h.vanished, false)

-- name: vanished
-- Documents that are gone and have not moved. What was in quarantine from the first, nobody misses.
SELECT c.uri FROM sync_compared c
WHERE NOT c.listed AND c.content_hash IS NOT NULL AND NOT c.deleted
  AND NOT EXISTS (SELECT FROM sync_moves m WHERE m.old_uri = c.uri)
ORDER BY c.uri COLLATE "C" LIMIT %(most)s

-- name: copy_plan
COPY sync_plan (document_id, uri, action, stage, size, mtime_ns, etag, trusted, moved_from, moved_to, content_hash,
                parse_fingerprint, permissions, forced, kind) FROM STDIN

-- name: plan_weight
SELECT count(*) AS loads, coalesce(sum(size), 0)::bigint AS weight FROM sync_plan WHERE kind IS NOT NULL

-- name: plan_loads
SELECT document_id, size, kind FROM sync_plan WHERE kind IS NOT NULL
ORDER BY kind COLLATE "C", size DESC, uri COLLATE "C"

-- name: copy_tasks
COPY sync_tasks (document_id, batch) FROM STDIN

-- name: planned
SELECT p.document_id AS document, p.uri, p.action, p.stage, t.batch, p.size, p.mtime_ns, p.etag, p.trusted, p.moved_from,
       p.moved_to, p.content_hash, p.parse_fingerprint, p.permissions, p.forced
FROM sync_plan p LEFT JOIN sync_tasks t USING (document_id)
WHERE p.document_id = coalesce(%(document)s::uuid, p.document_id)
ORDER BY p.uri COLLATE "C"

-- name: insert_items
INSERT INTO sync_items (run_id, document_id, uri, action, stage, batch, state, size, mtime_ns, etag, trusted,
                        moved_from, moved_to, content_hash, permissions, forced)
SELECT %(run)s, p.document_id, p.uri, p.action, p.stage, t.batch, 'planned', p.size, p.mtime_ns, p.etag, p.trusted,
       p.moved_from, p.moved_to, p.content_hash, p.permissions, p.forced
FROM sync_plan p LEFT JOIN sync_tasks t USING (document_id)
ORDER BY p.document_id

-- name: set_planned
-- No row: the run was planned anew meanwhile, and that plan holds.
UPDATE sync_runs SET planned = %(planned)s, documents = %(planned)s, changes = %(changes)s
WHERE id = %(run)s AND listing_sequence = %(listing_sequence)s

-- name: copy_current
COPY sync_current (document_id, read_sequence) FROM STDIN

-- name: set_settings
-- A part at a time, so that no lock is held for long, and waiting for nobody: another model may be taking over documents in
-- an order of its own. What is being, or was, read anew meanwhile says for itself what it is like.
WITH part AS MATERIALIZED (
    SELECT document_id, read_sequence FROM sync_current
    WHERE document_id > coalesce(%(after)s::uuid, '00000000-0000-0000-0000-000000000000')
    ORDER BY document_id LIMIT %(rows)s
), locked AS MATERIALIZED (
    SELECT l.document_id FROM sync_documents l JOIN part USING (document_id)
    WHERE l.read_sequence = part.read_sequence ORDER BY l.document_id FOR UPDATE OF l SKIP LOCKED
), done AS (
    UPDATE sync_documents l SET settings = %(settings)s FROM locked WHERE l.document_id = locked.document_id
)
SELECT document_id FROM part ORDER BY document_id DESC LIMIT 1

-- name: source_of
SELECT source FROM corpora WHERE name = %(corpus)s

-- name: set_source
UPDATE corpora SET source = %(source)s WHERE name = %(corpus)s AND source IS DISTINCT FROM %(source)s
