-- Embedding: which texts lack a vector, and storing vectors as they are computed.

-- name: staged_keys
SELECT DISTINCT decode(c ->> 'key', 'hex') AS key
FROM sync_items i, jsonb_array_elements(i.staged -> 'children') AS c
WHERE i.run_id = %(run)s AND i.state = 'staged'

-- name: staged_texts_without_vector
SELECT DISTINCT ON (key) key, tokens, text
FROM (
    SELECT decode(c ->> 'key', 'hex') AS key, (c ->> 'tokens')::int AS tokens,
           CASE WHEN c ->> 'header' = '' THEN c ->> 'text' ELSE (c ->> 'header') || E'\n\n' || (c ->> 'text') END AS text
    FROM sync_items i, jsonb_array_elements(i.staged -> 'children') AS c
    WHERE i.run_id = %(run)s AND i.state = 'staged'
) wanted
WHERE NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = wanted.key)

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
