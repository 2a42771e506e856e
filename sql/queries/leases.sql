-- Leases on batches, heartbeats, and runs whose process is gone. The clock is the database's.

-- name: end_when_still
SELECT set_config('idle_in_transaction_session_timeout', %s, false)

-- name: take_lease
-- No row: a process that lives has the batch.
INSERT INTO sync_leases (run_id, stage, batch, holder) VALUES (%(run)s, %(stage)s, %(batch)s, %(holder)s)
ON CONFLICT (run_id, stage, batch) DO UPDATE SET holder = excluded.holder, heartbeat_at = excluded.heartbeat_at
WHERE sync_leases.heartbeat_at < clock_timestamp() - make_interval(secs => %(expires)s)
RETURNING holder

-- name: check_lease
-- Shared with nobody who would take it until the transaction ends. No row: it was taken.
SELECT holder FROM sync_leases
WHERE run_id = %(run)s AND stage = %(stage)s AND batch = %(batch)s AND holder = %(holder)s FOR SHARE

-- name: beat_lease
UPDATE sync_leases SET heartbeat_at = clock_timestamp()
WHERE run_id = %(run)s AND stage = %(stage)s AND batch = %(batch)s AND holder = %(holder)s
RETURNING run_id

-- name: beat_run
UPDATE sync_runs SET heartbeat_at = clock_timestamp() WHERE id = %(run)s RETURNING id AS run_id

-- name: release_lease
DELETE FROM sync_leases
WHERE run_id = %(run)s AND stage = %(stage)s AND batch = %(batch)s AND holder = %(holder)s RETURNING run_id

-- name: revoke_leases
-- Of a run that is planned anew, or of one stage of it: whoever still works by the plan before stops at his next write.
DELETE FROM sync_leases WHERE run_id = %(run)s AND (%(stage)s::text IS NULL OR stage = %(stage)s)

-- name: silent_runs
-- Airflow may let a run wait for hours between two tasks, and has its own word for one that is over.
SELECT id, heartbeat_at FROM sync_runs
WHERE corpus = %(corpus)s AND state = 'running'
  AND heartbeat_at < clock_timestamp() - make_interval(secs => CASE WHEN key IS NULL THEN %(expires)s
                                                                    ELSE %(outer_expires)s END)
ORDER BY id

-- name: give_up_run
-- It ended when it was last heard of; unless it is heard of again.
UPDATE sync_runs SET state = 'failed', error = %(error)s, finished_at = heartbeat_at
WHERE id = %(run)s AND state = 'running' AND heartbeat_at = %(heartbeat_at)s
