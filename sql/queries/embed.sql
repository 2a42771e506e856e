-- Embedding: which texts lack a vector, and storing vectors as they are computed.

-- name: any_staged
SELECT document_id FROM sync_items WHERE run_id = %(run)s AND state = 'staged' AND keys <> '{}' LIMIT 1

-- name: active_before
-- The model that searches ask, where the run's is to take over from it.
SELECT (SELECT active_model FROM corpora WHERE name = %(corpus)s AND active_model <> %(model)s) AS id

-- name: made_again
-- An earlier try of the run has replaced their vectors.
SELECT key FROM sync_texts WHERE run_id = %(run)s AND stored

-- name: make_text_tables
-- In steps, with an index on each: a plan made for few texts must not unpack a document for each of its children.
CREATE TEMPORARY TABLE sync_missing (  -- keys that want a vector, and a document with each
    key bytea PRIMARY KEY, document_id uuid NOT NULL, staged boolean NOT NULL, guarded boolean NOT NULL, again boolean NOT NULL
) ON COMMIT DROP;
CREATE TEMPORARY TABLE sync_found (    -- and what is read for them
    key bytea PRIMARY KEY, document_id uuid NOT NULL, staged boolean NOT NULL, guarded boolean NOT NULL, again boolean NOT NULL,
    tokens integer NOT NULL, context_id uuid, context_start integer, context_end integer,
    text text                          -- null: the context's
) ON COMMIT DROP;
CREATE INDEX ON sync_found (context_id) WHERE context_id IS NOT NULL

-- name: find_missing
-- What the staged documents want, each text once, and what published ones lack: those that are staged, or about to be
-- buried, are gone as they are before anybody asks for it. A text is wanted for a changed configuration alone (guarded)
-- if every document that wants it is due for that, or if it has a vector under the model that is to be replaced.
INSERT INTO sync_missing (key, document_id, staged, guarded, again)
SELECT DISTINCT ON (key) key, document_id, staged,
       bool_and(guarded) OVER (PARTITION BY key), bool_or(again) OVER (PARTITION BY key)
FROM (
    SELECT w.key, w.document_id, true AS staged, w.guarded OR old.key IS NOT NULL AS guarded, w.again
    FROM (
        SELECT k.key, i.document_id, i.action = 'due' AND NOT i.forced AS guarded,
               i.forced AND r.reprocess ->> 'stage' = 'embed' AS again
        FROM sync_items i JOIN sync_runs r ON r.id = i.run_id, unnest(i.keys) AS k (key)
        WHERE i.run_id = %(run)s AND i.state = 'staged'
    ) w
    LEFT JOIN embeddings e ON e.model_id = %(model)s AND e.key = w.key
    LEFT JOIN embeddings old ON old.model_id = %(active)s AND old.key = w.key
    WHERE e.key IS NULL OR w.again
    UNION ALL
    SELECT c.key, c.document_id, false, %(active)s::int IS NOT NULL, false
    FROM children c JOIN documents d ON d.id = c.document_id
    WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = c.key)
      AND NOT EXISTS (
          SELECT FROM sync_items i LEFT JOIN quarantine q ON q.document_id = i.moved_to
          WHERE i.run_id = %(run)s AND i.document_id = c.document_id
            AND (i.state = 'staged' AND i.keys <> '{}'
                 OR i.state = 'planned' AND i.action = 'deleted' AND q.document_id IS NULL)
      )
) lacking
ORDER BY key, staged DESC, document_id

-- name: find_staged_texts
-- Only documents that lack something are unpacked, each once. A text may stand in one several times.
INSERT INTO sync_found (key, document_id, staged, guarded, again, tokens, context_id, context_start, context_end, text)
SELECT m.key, m.document_id, true, m.guarded, m.again, c.tokens, c.context_id, c.context_start, c.context_end, c.text
FROM (
    SELECT i.document_id, decode(c.key, 'hex') AS key, c.tokens, c.context_id, c.context_start, c.context_end,
           CASE WHEN c.context_id IS NOT NULL THEN NULL WHEN c.header = '' THEN c.text
                ELSE c.header || E'\n\n' || c.text END AS text
    FROM sync_items i
    CROSS JOIN LATERAL jsonb_to_recordset(i.staged -> 'children') AS c (
        key text, tokens int, header text, text text, context_id uuid, context_start int, context_end int
    )
    WHERE i.run_id = %(run)s AND i.document_id IN (SELECT document_id FROM sync_missing WHERE staged)
    OFFSET 0  -- unpacked first
) c
JOIN sync_missing m ON m.key = c.key AND m.document_id = c.document_id AND m.staged
ON CONFLICT DO NOTHING

-- name: find_published_texts
INSERT INTO sync_found (key, document_id, staged, guarded, again, tokens, context_id, context_start, context_end, text)
SELECT m.key, m.document_id, false, m.guarded, m.again, c.tokens, c.context_id, c.context_start, c.context_end,
       CASE WHEN c.context_id IS NOT NULL THEN NULL WHEN c.header = '' THEN c.text
            ELSE c.header || E'\n\n' || c.text END
FROM sync_missing m JOIN children c ON c.key = m.key AND c.document_id = m.document_id
WHERE NOT m.staged
ON CONFLICT DO NOTHING

-- name: plan_texts
-- In batches of like length, the guarded ones after the others. A text that is read for places in it comes with those
-- that lack a vector, a text that is read for itself with its key.
WITH texts AS MATERIALIZED (
    SELECT key, tokens, text, NULL::jsonb AS places, guarded, again FROM sync_found WHERE context_id IS NULL
    UNION ALL
    SELECT sha256('\xff' || convert_to(x.text, 'UTF8')), max(x.tokens), x.text,
           jsonb_agg(
               jsonb_build_object('key', encode(f.key, 'hex'), 'start', f.context_start, 'end', f.context_end)
               ORDER BY f.key
           ),
           bool_and(f.guarded), bool_or(f.again)
    FROM (
        SELECT i.document_id, c.id, c.text, c.tokens
        FROM sync_items i
        CROSS JOIN LATERAL jsonb_to_recordset(i.staged -> 'contexts') AS c (id uuid, text text, tokens int)
        WHERE i.run_id = %(run)s
          AND i.document_id IN (SELECT document_id FROM sync_found WHERE context_id IS NOT NULL AND staged)
        UNION ALL
        SELECT c.document_id, c.id, c.text, c.tokens
        FROM contexts c WHERE c.id IN (SELECT context_id FROM sync_found WHERE context_id IS NOT NULL AND NOT staged)
        OFFSET 0  -- unpacked first
    ) x
    JOIN sync_found f ON f.context_id = x.id AND f.document_id = x.document_id
    GROUP BY x.text
)
INSERT INTO sync_texts (run_id, key, batch, tokens, text, places, guarded, again, stored)
SELECT %(run)s, t.key,
       (row_number() OVER (PARTITION BY t.guarded ORDER BY t.tokens, t.key) - 1) / %(task_texts)s
           + CASE WHEN t.guarded THEN (
                 SELECT ceil(count(*)::numeric / %(task_texts)s) FROM texts free WHERE NOT free.guarded
             ) ELSE 0 END,
       t.tokens, t.text, t.places, t.guarded, t.again, t.again AND t.key = ANY(%(done)s::bytea[])
FROM texts t

-- name: reused
-- What staged documents want and has a vector, and its tokens; only documents of which something has are unpacked.
SELECT count(*) AS texts, coalesce(sum(tokens), 0)::bigint AS tokens
FROM (
    SELECT DISTINCT ON (c.key) c.tokens
    FROM sync_items i JOIN sync_runs r ON r.id = i.run_id
    CROSS JOIN LATERAL jsonb_to_recordset(i.staged -> 'children') AS c (key text, tokens int)
    WHERE i.run_id = %(run)s AND i.state = 'staged' AND (NOT i.forced OR r.reprocess ->> 'stage' <> 'embed')
      AND EXISTS (
          SELECT FROM unnest(i.keys) AS k (key) JOIN embeddings e ON e.model_id = %(model)s AND e.key = k.key
      )
      AND EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = decode(c.key, 'hex'))
    ORDER BY c.key
) found

-- name: guarded
-- Before the first model has taken over nothing is published, and nothing is asked.
WITH counted AS (
    SELECT coalesce(sum(tokens), 0)::bigint AS tokens FROM sync_texts WHERE run_id = %(run)s AND guarded
), due AS (
    SELECT i.stage, count(*) AS documents
    FROM counted, sync_items i
    WHERE counted.tokens > 0 AND i.run_id = %(run)s AND i.state = 'staged' AND i.action = 'due' AND NOT i.forced
      AND EXISTS (
          SELECT FROM unnest(i.keys) AS key
          WHERE NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = key.key)
      )
    GROUP BY i.stage
)
SELECT counted.tokens,
       (SELECT coalesce(sum(documents), 0) FROM due)::bigint + (
           SELECT count(DISTINCT c.document_id)
           FROM children c JOIN documents d ON d.id = c.document_id
           WHERE counted.tokens > 0 AND before.id IS NOT NULL AND d.corpus = %(corpus)s AND d.deleted_at IS NULL
             AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = c.key)
             AND NOT EXISTS (
                 SELECT FROM sync_items i
                 WHERE i.run_id = %(run)s AND i.document_id = c.document_id AND i.state = 'staged' AND i.keys <> '{}'
             )
       ) AS documents,
       coalesce((SELECT array_agg(stage) FROM due), '{}') AS stages,
       before.name AS before,
       CASE WHEN counted.tokens = 0 THEN 0 ELSE (
           SELECT coalesce(sum(c.tokens), 0) FROM children c JOIN documents d ON d.id = c.document_id
           WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL AND c.context_id IS NULL
       ) + (
           SELECT coalesce(sum(x.tokens), 0) FROM contexts x JOIN documents d ON d.id = x.document_id
           WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL
       ) END::bigint AS whole
FROM counted
LEFT JOIN LATERAL (
    SELECT m.id, m.name FROM corpora c JOIN embedding_models m ON m.id = c.active_model
    WHERE c.name = %(corpus)s AND c.active_model <> %(model)s
) before ON true

-- name: set_spending
UPDATE sync_runs SET spending = %(spending)s WHERE id = %(run)s

-- name: approve
UPDATE sync_runs SET approved_by = %(by)s WHERE id = %(run)s AND approved_by IS NULL

-- name: published_unread
-- Texts that are read for themselves, and those that are read for places in them, with one of their children.
WITH found AS MATERIALIZED (
    SELECT DISTINCT ON (c.key) c.key, c.context_id,
           CASE WHEN c.context_id IS NOT NULL THEN '' WHEN c.header = '' THEN c.text
                ELSE c.header || E'\n\n' || c.text END AS text
    FROM children c JOIN documents d ON d.id = c.document_id
    WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = c.key)
)
SELECT key, text FROM found WHERE context_id IS NULL
UNION ALL
SELECT f.key, x.text
FROM (SELECT DISTINCT ON (context_id) context_id, key FROM found WHERE context_id IS NOT NULL) f
JOIN contexts x ON x.id = f.context_id

-- name: documents_with
SELECT DISTINCT c.document_id FROM children c JOIN documents d ON d.id = c.document_id
WHERE c.key = ANY(%(keys)s) AND d.corpus = %(corpus)s AND d.deleted_at IS NULL

-- name: text_batches
SELECT t.batch AS number, count(*) AS texts, sum(t.tokens)::bigint AS tokens, bool_or(t.guarded) AS guarded
FROM sync_texts t WHERE t.run_id = %(run)s GROUP BY t.batch ORDER BY t.batch

-- name: batch_texts
-- Longest first: what memory a batch needs shows at once.
SELECT t.key, t.text, t.tokens, t.places, t.guarded, t.again
FROM sync_texts t WHERE t.run_id = %(run)s AND t.batch = %(batch)s AND NOT t.stored
ORDER BY t.tokens DESC, t.key

-- name: mark_made_again
WITH made AS MATERIALIZED (
    SELECT key FROM sync_texts WHERE run_id = %(run)s AND key = ANY(%(keys)s) ORDER BY key FOR UPDATE
)
UPDATE sync_texts t SET stored = true FROM made m WHERE t.run_id = %(run)s AND t.key = m.key

-- name: delete_vector
-- One that came out as it was stays.
DELETE FROM embeddings WHERE model_id = %(model)s AND key = %(key)s AND embedding <> %(embedding)s

-- name: insert_vector
INSERT INTO embeddings (model_id, key, embedding) VALUES (%(model)s, %(key)s, %(embedding)s) ON CONFLICT DO NOTHING

-- name: insert_cost
INSERT INTO cost_ledger (run_id, model_id, batch, texts, tokens, price)
VALUES (%(run)s, %(model)s, %(batch)s, %(texts)s, %(tokens)s, %(price)s)

-- name: unreferenced_vectors
-- Keys, in their order, of vectors that no child has, a tombstone's included, and that no staged document waits for.
SELECT key FROM (
    SELECT e.key FROM embeddings e
    WHERE e.model_id = %(model)s AND NOT EXISTS (SELECT FROM children c WHERE c.key = e.key)
    EXCEPT
    SELECT unnest(i.keys) FROM sync_items i WHERE i.state = 'staged'
) unreferenced
ORDER BY key

-- name: cut_by
SELECT cut_by FROM corpora WHERE name = %(corpus)s

-- name: remember_cut_by
-- Of the sync that first published something, whatever was tried before it.
UPDATE corpora SET cut_by = %(cut_by)s
WHERE name = %(corpus)s AND cut_by IS DISTINCT FROM %(cut_by)s AND (cut_by IS NULL OR active_model IS NULL)
