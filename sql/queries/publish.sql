-- Publishing: one transaction for each document.

-- name: ready_items
-- Staged documents all of whose texts have a vector under the model of the run, in the order of their ids.
WITH waiting AS MATERIALIZED (
    SELECT DISTINCT i.document_id
    FROM sync_items i, unnest(i.keys) AS key
    WHERE i.run_id = %(run)s AND i.state = 'staged'
      AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = key.key)
)
SELECT i.document_id
FROM sync_items i
WHERE i.run_id = %(run)s AND i.state = 'staged' AND NOT EXISTS (SELECT FROM waiting w WHERE w.document_id = i.document_id)
ORDER BY i.document_id

-- name: staged_item
SELECT document_id, uri, size, mtime_ns, etag, trusted, moved_from, content_hash, read_sequence, forced, staged
FROM sync_items WHERE run_id = %(run)s AND document_id = %(document)s AND state = 'staged' FOR UPDATE

-- name: settled_since
-- A later run listed the whole source and had nothing to do with the document: what is published of it, or that nothing is,
-- was right then, and what was read or cut before is not. It stands all the same if an operator wants the same bytes done
-- again, under the settings that hold now, and if the later run, which goes by size and date, could not see what reading
-- the bytes has shown.
SELECT r.id FROM sync_runs r
WHERE r.corpus = %(corpus)s AND r.listing_sequence > %(read_sequence)s AND r.kind = 'sync' AND r.planned <> '{}'
  AND NOT EXISTS (SELECT FROM sync_items i WHERE i.run_id = r.id AND i.document_id = %(document)s)
  AND NOT EXISTS (
      SELECT FROM sync_documents l LEFT JOIN documents d ON d.id = l.document_id
      WHERE l.document_id = %(document)s AND d.deleted_at IS NULL
        AND l.size = %(size)s AND l.mtime_ns = %(mtime_ns)s AND l.etag IS NOT DISTINCT FROM %(etag)s::text
        AND (%(forced)s AND l.settings = %(settings)s OR l.content_hash <> %(content_hash)s)
  )
LIMIT 1

-- name: mark_read
-- Also the lock on the document: whoever publishes or buries it comes through here. No row: something newer is there,
-- or something older was published meanwhile of which the staged columns are no part.
INSERT INTO sync_documents (document_id, corpus, uri, size, mtime_ns, etag, trusted, content_hash, read_sequence, run_id,
                            settings, read_at)
VALUES (%(document)s, %(corpus)s, %(uri)s, %(size)s, %(mtime_ns)s, %(etag)s, %(trusted)s, %(content_hash)s,
        %(read_sequence)s, %(run)s, %(settings)s, clock_timestamp())
ON CONFLICT (document_id) DO UPDATE SET
    size = excluded.size, mtime_ns = excluded.mtime_ns, etag = excluded.etag, trusted = excluded.trusted,
    content_hash = excluded.content_hash, read_sequence = excluded.read_sequence, run_id = excluded.run_id,
    settings = excluded.settings, read_at = excluded.read_at
WHERE sync_documents.read_sequence < excluded.read_sequence
  AND (%(whole)s OR sync_documents.content_hash = excluded.content_hash)
RETURNING document_id

-- name: stored_document
SELECT content_hash, media_type, title, source_url, language, date, author, tags, permissions, recipe, recipe_because,
       warnings, missing, description, fidelity, page_labels, parse_fingerprint, cut_fingerprint, payload_hash, parents,
       children, version, moved_from, deleted_at IS NOT NULL AS deleted
FROM documents WHERE id = %(id)s

-- name: insert_document
INSERT INTO documents (id, corpus, uri, content_hash, media_type, title, source_url, language, date, author, tags,
                       permissions, recipe, recipe_because, warnings, missing, parse_fingerprint, cut_fingerprint,
                       payload_hash, description, fidelity, page_labels, parents, children, version, moved_from)
VALUES (%(id)s, %(corpus)s, %(uri)s, %(content_hash)s, %(media_type)s, %(title)s, %(source_url)s, %(language)s, %(date)s,
        %(author)s, %(tags)s, %(permissions)s, %(recipe)s, %(recipe_because)s, %(warnings)s, %(missing)s,
        %(parse_fingerprint)s, %(cut_fingerprint)s, %(payload_hash)s, %(description)s, %(fidelity)s,
        %(page_labels)s, %(parents)s, %(children)s, 1, %(moved_from)s)

-- name: update_document
UPDATE documents SET
    content_hash = %(content_hash)s, media_type = %(media_type)s, title = %(title)s, source_url = %(source_url)s,
    language = %(language)s, date = %(date)s, author = %(author)s, tags = %(tags)s, permissions = %(permissions)s,
    recipe = %(recipe)s, recipe_because = %(recipe_because)s, warnings = %(warnings)s, missing = %(missing)s,
    parse_fingerprint = %(parse_fingerprint)s, cut_fingerprint = %(cut_fingerprint)s, payload_hash = %(payload_hash)s,
    description = %(description)s, fidelity = %(fidelity)s, page_labels = %(page_labels)s,
    parents = %(parents)s, children = %(children)s, version = version + %(versions)s, moved_from = %(moved_from)s,
    deleted_at = NULL
WHERE id = %(id)s

-- name: delete_children
DELETE FROM children WHERE id = ANY(%(ids)s)

-- name: delete_parents
DELETE FROM parents WHERE id = ANY(%(ids)s)

-- name: insert_parent
INSERT INTO parents (id, document_id, ordinal, start_offset, end_offset, section_path, pages, text, tokens)
VALUES (%(id)s, %(document)s, %(ordinal)s, %(start_offset)s, %(end_offset)s, %(section_path)s, %(pages)s, %(text)s,
        %(tokens)s)

-- name: update_parent
UPDATE parents SET
    ordinal = %(ordinal)s, start_offset = %(start_offset)s, end_offset = %(end_offset)s,
    section_path = %(section_path)s, pages = %(pages)s, text = %(text)s, tokens = %(tokens)s
WHERE id = %(id)s

-- name: insert_context
INSERT INTO contexts (id, document_id, text, tokens) VALUES (%(id)s, %(document)s, %(text)s, %(tokens)s)

-- name: delete_contexts
DELETE FROM contexts WHERE id = ANY(%(ids)s)

-- name: insert_child
INSERT INTO children (id, document_id, parent_id, ordinal, start_offset, end_offset, section_path, pages, first_line,
                      last_line, kind, header, text, tokens, key, context_id, context_start, context_end)
VALUES (%(id)s, %(document)s, %(parent_id)s, %(ordinal)s, %(start_offset)s, %(end_offset)s, %(section_path)s, %(pages)s,
        %(first_line)s, %(last_line)s, %(kind)s, %(header)s, %(text)s, %(tokens)s, %(key)s,
        %(context_id)s, %(context_start)s, %(context_end)s)

-- name: update_child
UPDATE children SET
    parent_id = %(parent_id)s, ordinal = %(ordinal)s, start_offset = %(start_offset)s, end_offset = %(end_offset)s,
    section_path = %(section_path)s, pages = %(pages)s, first_line = %(first_line)s, last_line = %(last_line)s,
    kind = %(kind)s, header = %(header)s, text = %(text)s, tokens = %(tokens)s, key = %(key)s,
    context_id = %(context_id)s, context_start = %(context_start)s, context_end = %(context_end)s
WHERE id = %(id)s

-- name: freshen
-- What is served is what the source has again.
UPDATE documents SET stale_since = NULL WHERE id = %(document)s AND stale_since IS NOT NULL

-- name: insert_version
-- What became of a document, in the transaction that does it, once its row is as that leaves it: the version that was
-- published, the one that is buried, or the one that is served on while the bytes with this hash are in quarantine.
INSERT INTO sync_versions (run_id, corpus, document_id, uri, event, content_hash, inserted, moved, deleted,
                           version, moved_from, recipe, parents, children)
SELECT %(run)s, %(corpus)s, %(document)s, %(uri)s, %(event)s, coalesce(%(content_hash)s::bytea, d.content_hash),
       %(inserted)s, %(moved)s, %(deleted)s, d.version, d.moved_from, d.recipe, coalesce(d.parents, 0),
       coalesce(d.children, 0)
FROM (SELECT) AS always LEFT JOIN documents d ON d.id = %(document)s

-- name: leave_quarantine
DELETE FROM quarantine WHERE document_id = %(document)s

-- name: items_without_preparation
-- Without the moved documents whose new place this run may still publish. One whose new place will not come, because it
-- is in quarantine or gone again, is `held`: it is served on.
SELECT i.document_id, i.uri, i.action, i.size, i.mtime_ns, i.etag, i.trusted, i.content_hash, i.permissions,
       o.id IS NOT NULL AND i.moved_to IS NOT NULL AND d.id IS NULL AS held
FROM sync_items i
LEFT JOIN documents o ON o.id = i.document_id AND o.deleted_at IS NULL
LEFT JOIN sync_items n ON n.run_id = i.run_id AND n.document_id = i.moved_to AND n.state IN ('planned', 'staged', 'failed')
LEFT JOIN documents d ON d.id = i.moved_to AND d.deleted_at IS NULL
WHERE i.run_id = %(run)s AND i.batch IS NULL AND i.state = 'planned' AND n.document_id IS NULL
  AND (%(only)s::uuid[] IS NULL OR i.document_id = ANY(%(only)s))
ORDER BY i.document_id

-- name: listed_later
-- Another run listed the whole source after this one, or is at it: what it did not find is its to bury, what it found is
-- there. One that failed after its plan was written has listed it too.
SELECT id FROM sync_runs
WHERE corpus = %(corpus)s AND listing_sequence > %(listing_sequence)s AND kind = 'sync'
  AND (state <> 'failed' OR planned <> '{}')
LIMIT 1

-- name: lock_unread
-- The lock on a document that nobody read since the run's listing began. No row: something newer is there.
SELECT document_id FROM sync_documents
WHERE document_id = %(document)s AND read_sequence < %(listing_sequence)s FOR UPDATE

-- name: raise_sequence
UPDATE sync_documents SET read_sequence = %(listing_sequence)s, run_id = %(run)s WHERE document_id = %(document)s

-- name: bury
UPDATE documents SET deleted_at = clock_timestamp(), stale_since = NULL WHERE id = %(document)s AND deleted_at IS NULL

-- name: refresh_evidence
UPDATE sync_documents SET size = %(size)s, mtime_ns = %(mtime_ns)s, etag = %(etag)s, trusted = %(trusted)s,
    content_hash = %(content_hash)s, read_sequence = %(listing_sequence)s, run_id = %(run)s, read_at = clock_timestamp()
WHERE document_id = %(document)s AND read_sequence < %(listing_sequence)s
RETURNING document_id

-- name: model_for_publishing
-- Shared: documents are published side by side, but not while the corpus changes its model.
SELECT active_model FROM corpora WHERE name = %(corpus)s FOR SHARE

-- name: model_to_change
SELECT active_model FROM corpora WHERE name = %(corpus)s FOR NO KEY UPDATE

-- name: lacking_vectors
-- Published documents, in the order of their ids, with a text that has no vector under the model: it must cover what is
-- published. It is looked through in every run, also where nothing changed (some 0.2 s for 100,000 children): the locks
-- of publishing keep it complete, but not against a vector that was deleted, and nothing else would make it again.
-- Excused are those that are served on because what the source has of them now is in quarantine, at their
-- place or where they moved: nothing can be done about them now.
SELECT l.document_id,
       EXISTS (SELECT FROM quarantine q WHERE q.document_id = l.document_id) OR EXISTS (
           SELECT FROM sync_items i JOIN quarantine q ON q.document_id = i.moved_to
           WHERE i.run_id = %(run)s AND i.document_id = l.document_id AND i.action = 'deleted'
       ) AS excused
FROM (
    SELECT DISTINCT c.document_id
    FROM children c JOIN documents d ON d.id = c.document_id
    WHERE d.corpus = %(corpus)s AND d.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM embeddings e WHERE e.model_id = %(model)s AND e.key = c.key)
) l
ORDER BY l.document_id

-- name: forget_settings
-- Also the lock on the document.
UPDATE sync_documents SET settings = '' WHERE document_id = %(document)s

-- name: forget_cut
-- It is cut anew as soon as what the source has of it can be published.
UPDATE documents SET cut_fingerprint = '' WHERE id = %(document)s AND cut_fingerprint <> ''

-- name: going
-- Documents that the run is about to bury.
SELECT document_id, moved_to FROM sync_items
WHERE run_id = %(run)s AND action = 'deleted' AND state = 'planned' AND document_id = ANY(%(documents)s)

-- name: chosen_since
-- A run does not undo the choice of one that was planned later.
SELECT id FROM sync_runs
WHERE corpus = %(corpus)s AND listing_sequence > %(listing_sequence)s AND model_id = %(active)s LIMIT 1

-- name: index_embeddings
-- Searches are about to ask this model. Where its index is there, nothing happens.
SELECT index_embeddings(%(model)s)

-- name: activate_model
UPDATE corpora SET active_model = %(model)s WHERE name = %(corpus)s AND active_model IS DISTINCT FROM %(model)s

-- name: set_permissions
UPDATE documents SET permissions = %(permissions)s WHERE id = %(document)s AND permissions IS DISTINCT FROM %(permissions)s
