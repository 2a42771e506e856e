-- Embedding: which texts lack a vector, and storing vectors as they are computed.

-- name: staged_keys
SELECT count(DISTINCT key) AS keys
FROM sync_items i, unnest(i.keys) AS key
WHERE i.run_id = %(run)s AND i.state = 'staged'

-- name: staged_texts_without_vector
-- Of texts that stand in several documents one is taken; only documents that lack a vector are unpacked.
WITH missing AS MATERIALIZED (
    SELECT DISTINCT ON (key) key, i.document_id
    FROM sync_items i, unnest(i.keys) AS key
    WHERE i.run_id = %(run)s AND i.state = 'staged'
      AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = key.key)
    ORDER BY key, i.document_id
)
SELECT DISTINCT ON (m.key) m.key, c.tokens, CASE WHEN c.header = '' THEN c.text ELSE c.header || E'\n\n' || c.text END AS text
FROM (SELECT document_id, array_agg(key) AS keys FROM missing GROUP BY document_id) wanted
JOIN sync_items i ON i.run_id = %(run)s AND i.document_id = wanted.document_id
CROSS JOIN LATERAL jsonb_to_recordset(i.staged -> 'children') AS c (key text, tokens int, header text, text text)
JOIN LATERAL unnest(wanted.keys) AS m (key) ON m.key = decode(c.key, 'hex')

-- name: published_texts_without_vector
SELECT DISTINCT ON (c.key) c.key, c.tokens,
       CASE WHEN c.header = '' THEN c.text ELSE c.header || E'\n\n' || c.text END AS text
FROM children c JOIN documents d ON d.id = c.document_id
WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL
  AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = c.key)

-- name: insert_text
INSERT INTO sync_texts (run_id, key, batch, tokens, text)
VALUES (%(run)s, %(key)s, %(batch)s, %(tokens)s, %(text)s) ON CONFLICT DO NOTHING

-- name: text_batches
SELECT t.batch AS number, count(*) AS texts, sum(t.tokens)::bigint AS tokens
FROM sync_texts t WHERE t.run_id = %(run)s GROUP BY t.batch ORDER BY t.batch

-- name: batch_texts
-- Longest first: what memory a batch needs shows at once. A text that got its vector meanwhile is left out.
SELECT t.key, t.text, t.tokens
FROM sync_texts t
WHERE t.run_id = %(run)s AND t.batch = %(batch)s
  AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = t.key)
ORDER BY t.tokens DESC, t.key

-- name: insert_vector
INSERT INTO embeddings (model_id, key, embedding) VALUES (%(model)s, %(key)s, %(embedding)s) ON CONFLICT DO NOTHING

-- name: insert_cost
INSERT INTO cost_ledger (run_id, model_id, batch, texts, tokens, price)
VALUES (%(run)s, %(model)s, %(batch)s, %(texts)s, %(tokens)s, %(price)s)
