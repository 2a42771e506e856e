-- A dry run's texts, in a temporary table of its session, so that they need no memory but the database's. What is said of
-- staged documents in embed.sql, and what is counted, is said and counted here of documents that would be staged.

-- name: make_wanted
DROP TABLE IF EXISTS pg_temp.sync_wanted;
CREATE TEMPORARY TABLE sync_wanted (
    document_id uuid NOT NULL,
    key bytea,             -- of a vector; null in the row that says that the document would be published
    text_key bytea,        -- of the text that is read for it
    text_tokens integer,   -- of that text
    tokens integer,        -- of the child
    stage text,            -- the first that is due, of a document that is due for no other reason than the configuration
    again boolean NOT NULL,     -- it is embedded again, whatever is stored
    published boolean NOT NULL  -- it is that of a child that is published and stays
) ON COMMIT PRESERVE ROWS

-- name: copy_wanted
COPY sync_wanted (document_id, key, text_key, text_tokens, tokens, stage, again, published) FROM STDIN

-- name: keep_published
-- What published children lack, but those of documents that would be published anew.
INSERT INTO sync_wanted (document_id, key, text_key, text_tokens, tokens, again, published)
SELECT c.document_id, c.key, CASE WHEN x.id IS NULL THEN c.key ELSE sha256('\xff' || convert_to(x.text, 'UTF8')) END,
       coalesce(x.tokens, c.tokens), c.tokens, false, true
FROM children c JOIN documents d ON d.id = c.document_id LEFT JOIN contexts x ON x.id = c.context_id
WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL
  AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = c.key)
  AND NOT EXISTS (SELECT FROM sync_wanted w WHERE w.document_id = c.document_id AND w.key IS NOT NULL)

-- name: analyze_wanted
ANALYZE sync_wanted

-- name: count_wanted
-- A text is read once for all its places, as soon as one of them has no vector.
WITH before AS (
    SELECT m.id, m.name FROM corpora c JOIN embedding_models m ON m.id = c.active_model
    WHERE c.name = %(corpus)s AND c.active_model IS DISTINCT FROM %(model)s
), wanted AS MATERIALIZED (
    SELECT w.*, e.key IS NULL OR w.again AS missing,
           CASE WHEN w.published THEN before.id IS NOT NULL ELSE w.stage IS NOT NULL OR old.key IS NOT NULL END AS guarded
    FROM sync_wanted w
    LEFT JOIN before ON true
    LEFT JOIN embeddings e ON e.model_id = %(model)s AND e.key = w.key
    LEFT JOIN embeddings old ON old.model_id = before.id AND old.key = w.key
    WHERE w.key IS NOT NULL
), texts AS (
    SELECT max(text_tokens) AS tokens, bool_and(guarded) AS guarded FROM wanted WHERE missing GROUP BY text_key
), there AS (
    SELECT DISTINCT ON (key) tokens FROM wanted WHERE NOT missing AND NOT published ORDER BY key
)
SELECT count(*) AS texts, coalesce(sum(tokens), 0)::bigint AS tokens,
       coalesce((SELECT sum(tokens) FROM there), 0)::bigint AS reused,
       coalesce(sum(tokens) FILTER (WHERE guarded), 0)::bigint AS guarded,
       (SELECT count(DISTINCT document_id) FROM wanted WHERE missing AND guarded) AS documents,
       ARRAY(SELECT DISTINCT stage FROM wanted WHERE missing AND stage IS NOT NULL) AS stages,
       (SELECT name FROM before) AS before,
       (SELECT coalesce(sum(c.tokens), 0) FROM children c JOIN documents d ON d.id = c.document_id
        WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL AND c.context_id IS NULL)::bigint
       + (SELECT coalesce(sum(x.tokens), 0) FROM contexts x JOIN documents d ON d.id = x.document_id
          WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL)::bigint AS whole
FROM texts

-- name: would_go
-- Documents that a sync would bury, and their children; one that moved goes once its new place is published.
SELECT count(*) AS documents, coalesce(sum(d.children), 0)::bigint AS children
FROM sync_plan p JOIN documents d ON d.id = p.document_id AND d.deleted_at IS NULL
WHERE p.action = 'deleted'
  AND (p.moved_to IS NULL OR EXISTS (SELECT FROM sync_wanted w WHERE w.document_id = p.moved_to AND NOT w.published))

-- name: quarantined_document
SELECT error_class, message, content_hash, retry FROM quarantine WHERE document_id = %(document)s
