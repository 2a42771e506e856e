-- The seconds of a run's stages, kept with the rest of what each stage did; indexes for what is asked of the history.
-- Runs as kerf_owner.

INSERT INTO sync_stages (run_id, stage, seconds)
SELECT r.id, s.stage, s.seconds::numeric FROM sync_runs r, jsonb_each_text(r.seconds) AS s (stage, seconds)
WHERE s.stage IN ('plan', 'prepare', 'embed', 'publish')
ORDER BY r.id, s.stage;

ALTER TABLE sync_runs DROP COLUMN seconds;

-- What became of a corpus' documents between two runs, and what is past the corpus' own retention.
CREATE INDEX sync_versions_corpus_at ON sync_versions (corpus, at);
DROP INDEX sync_versions_at;

CREATE INDEX sync_items_staged ON sync_items (run_id) WHERE staged IS NOT NULL;  -- what failed runs left behind
