-- Embedding: which texts lack a vector, and storing vectors as they are computed.

-- name: staged_keys
SELECT count(DISTINCT key) AS keys
FROM sync_items i, unnest(i.keys) AS key
WHERE i.run_id = %(run)s AND i.state = 'staged'

-- name: staged_texts_without_vector
-- Of texts that stand in several documents one is taken; only documents that lack a vector are unpacked. A text that is
-- read for places in it comes with those that lack one, a text that is read for itself with its key.
WITH missing AS MATERIALIZED (
    SELECT DISTINCT ON (key) key, i.document_id
    FROM sync_items i, unnest(i.keys) AS key
    WHERE i.run_id = %(run)s AND i.state = 'staged'
      AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = key.key)
    ORDER BY key, i.document_id
), found AS MATERIALIZED (
    SELECT DISTINCT ON (m.key) m.key, wanted.document_id, c.tokens, c.context_id, c.context_start, c.context_end,
           CASE WHEN c.header = '' THEN c.text ELSE c.header || E'\n\n' || c.text END AS text
    FROM (SELECT document_id, array_agg(key) AS keys FROM missing GROUP BY document_id) wanted
    JOIN sync_items i ON i.run_id = %(run)s AND i.document_id = wanted.document_id
    CROSS JOIN LATERAL jsonb_to_recordset(i.staged -> 'children') AS c (
        key text, tokens int, header text, text text, context_id uuid, context_start int, context_end int
    )
    JOIN LATERAL unnest(wanted.keys) AS m (key) ON m.key = decode(c.key, 'hex')
)
SELECT key, tokens, text, NULL::jsonb AS places FROM found WHERE context_id IS NULL
UNION ALL
SELECT NULL, x.tokens, x.text, f.places
FROM (
    SELECT document_id, context_id, jsonb_agg(
        jsonb_build_object('key', encode(key, 'hex'), 'start', context_start, 'end', context_end)
    ) AS places
    FROM found WHERE context_id IS NOT NULL GROUP BY document_id, context_id
) f
JOIN sync_items i ON i.run_id = %(run)s AND i.document_id = f.document_id
CROSS JOIN LATERAL jsonb_to_recordset(i.staged -> 'contexts') AS x (id uuid, text text, tokens int)
WHERE x.id = f.context_id

-- name: published_texts_without_vector
WITH found AS MATERIALIZED (
    SELECT DISTINCT ON (c.key) c.key, c.tokens, c.context_id, c.context_start, c.context_end,
           CASE WHEN c.context_id IS NOT NULL THEN '' WHEN c.header = '' THEN c.text
                ELSE c.header || E'\n\n' || c.text END AS text
    FROM children c JOIN documents d ON d.id = c.document_id
    WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = c.key)
)
SELECT key, tokens, text, NULL::jsonb AS places FROM found WHERE context_id IS NULL
UNION ALL
SELECT NULL, x.tokens, x.text, jsonb_agg(
    jsonb_build_object('key', encode(f.key, 'hex'), 'start', f.context_start, 'end', f.context_end)
)
FROM found f JOIN contexts x ON x.id = f.context_id GROUP BY x.id

-- name: insert_text
INSERT INTO sync_texts (run_id, key, batch, tokens, text, places)
VALUES (%(run)s, %(key)s, %(batch)s, %(tokens)s, %(text)s, %(places)s) ON CONFLICT DO NOTHING

-- name: text_batches
SELECT t.batch AS number, count(*) AS texts, sum(t.tokens)::bigint AS tokens
FROM sync_texts t WHERE t.run_id = %(run)s GROUP BY t.batch ORDER BY t.batch

-- name: batch_texts
-- Longest first: what memory a batch needs shows at once.
SELECT t.key, t.text, t.tokens, t.places
FROM sync_texts t WHERE t.run_id = %(run)s AND t.batch = %(batch)s
ORDER BY t.tokens DESC, t.key

-- name: insert_vector
INSERT INTO embeddings (model_id, key, embedding) VALUES (%(model)s, %(key)s, %(embedding)s) ON CONFLICT DO NOTHING

-- name: insert_cost
INSERT INTO cost_ledger (run_id, model_id, batch, texts, tokens, price)
VALUES (%(run)s, %(model)s, %(batch)s, %(texts)s, %(tokens)s, %(price)s)
