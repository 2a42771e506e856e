-- Reports for the quarterly review of the search index. Each statement stands on its own and only reads.
-- The times are those of the library's own clock, Europe/Amsterdam.

SET search_path TO catalogue;
SET timezone TO 'Europe/Amsterdam';

-- 1. Runs in numbers: one row per month, as on the third slide of the review.
SELECT
    to_char(date_trunc('month', started_at), 'YYYY-MM') AS month,
    count(*) AS runs,
    count(*) FILTER (WHERE state = 'failed') AS failed,
    sum(changed) AS documents_changed,
    round(
        percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - started_at))::numeric / 60
    ) AS median_minutes
FROM runs
WHERE finished_at IS NOT NULL
GROUP BY date_trunc('month', started_at)
ORDER BY month;

-- 2. Nights that took more than twice as long as the median of the seven nights before them.
WITH durations AS (
    SELECT
        run_id,
        started_at,
        changed,
        extract(epoch FROM finished_at - started_at) / 60 AS minutes
    FROM runs
    WHERE state IN ('success', 'warning')
)
SELECT
    d.run_id,
    d.changed,
    round(d.minutes::numeric, 1) AS minutes,
    round(before.median::numeric, 1) AS usual_minutes
FROM durations AS d
CROSS JOIN LATERAL (
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY earlier.minutes) AS median
    FROM durations AS earlier
    WHERE earlier.started_at < d.started_at
      AND earlier.started_at >= d.started_at - interval '7 days'
) AS before
WHERE d.minutes > 2 * before.median
ORDER BY d.started_at;

-- 3. Files that have failed for the longest unbroken row of nights, and the page they fail on. Numbering all nights
-- and, apart from that, the bad nights of each file makes the difference constant within one unbroken row.
WITH nights AS (
    SELECT run_id, started_at, row_number() OVER (ORDER BY started_at) AS night
    FROM runs
    WHERE state <> 'running'
),
streaks AS (
    SELECT
        s.item_id,
        n.night,
        n.night - row_number() OVER (PARTITION BY s.item_id ORDER BY n.night) AS streak,
        s.page
    FROM setbacks AS s
    JOIN nights AS n USING (run_id)
)
SELECT i.path, count(*) AS nights, max(t.page) AS page
FROM streaks AS t
JOIN items AS i USING (item_id)
GROUP BY i.path, t.streak
HAVING max(t.night) = (SELECT max(night) FROM nights)
ORDER BY nights DESC, i.path
LIMIT 10;

-- 4. Sheets that were scanned twice: equal bytes under several paths, and the space that the copies take.
SELECT
    encode(content_hash, 'hex') AS content_hash,
    array_agg(path ORDER BY path) AS paths,
    (count(*) - 1) * max(pages) AS pages_to_spare
FROM items
WHERE withdrawn_at IS NULL
GROUP BY content_hash
HAVING count(*) > 1
ORDER BY pages_to_spare DESC;

-- 5. What the map room added in each month of the year, with a running total.
SELECT
    to_char(month, 'YYYY-MM') AS month,
    count(i.item_id) AS charts,
    sum(count(i.item_id)) OVER (ORDER BY month) AS charts_so_far
FROM generate_series(date '2026-01-01', date '2026-12-01', interval '1 month') AS month
LEFT JOIN items AS i
    ON i.scanned_on >= month
    AND i.scanned_on < month + interval '1 month'
    AND i.withdrawn_at IS NULL
    AND i.collection_id = (SELECT collection_id FROM collections WHERE name = 'charts')
GROUP BY month
ORDER BY month;

-- 6. Spending against the limit of 15 euros that the city agreed to for one night.
SELECT
    run_id,
    cost_euros,
    round(100 * cost_euros / 15, 1) AS percent_of_limit,
    rank() OVER (ORDER BY cost_euros DESC) AS place
FROM runs
WHERE started_at >= date_trunc('quarter', now())
ORDER BY place
LIMIT 5;
