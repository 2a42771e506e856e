-- The catalogue of the Harbour Library: what the archive holds, where it was scanned, and what each nightly run did
-- with it. The search index reads from here; it never writes here.

CREATE SCHEMA catalogue;

SET search_path TO catalogue;

-- A collection is a folder of the archive with one kind of material in it.
CREATE TABLE collections (
    collection_id  smallint    GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text        NOT NULL UNIQUE,
    keeper         text        NOT NULL,
    open_to        text[]      NOT NULL DEFAULT ARRAY['readers'],
    CONSTRAINT a_name_is_a_folder CHECK (name ~ '^[a-z][a-z0-9-]*$'),
    CONSTRAINT somebody_may_read CHECK (cardinality(open_to) > 0)
);

COMMENT ON COLUMN collections.open_to IS 'groups that may read; the personnel folder has staff only';

-- One row per document: a register of a year, a chart, a letter, a page of notes.
CREATE TABLE items (
    item_id        bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    collection_id  smallint    NOT NULL REFERENCES collections (collection_id),
    path           text        NOT NULL,
    title          text        NOT NULL,
    year           smallint    CHECK (year BETWEEN 1800 AND 2100),
    pages          integer     NOT NULL DEFAULT 1 CHECK (pages > 0),
    content_hash   bytea       NOT NULL CHECK (octet_length(content_hash) = 32),
    scanned_on     date,
    withdrawn_at   timestamptz,
    UNIQUE (collection_id, path)
);

-- Finds the second scan of the same sheet under another name.
CREATE INDEX items_by_content ON items (content_hash);

-- The reading room filters by year within a collection and never wants withdrawn items.
CREATE INDEX items_by_year ON items (collection_id, year) WHERE withdrawn_at IS NULL;

CREATE TYPE run_state AS ENUM ('running', 'success', 'warning', 'failed');

CREATE TABLE runs (
    run_id         text        PRIMARY KEY,
    state          run_state   NOT NULL DEFAULT 'running',
    started_at     timestamptz NOT NULL DEFAULT now(),
    finished_at    timestamptz,
    changed        integer     NOT NULL DEFAULT 0 CHECK (changed >= 0),
    cost_euros     numeric(8, 2) NOT NULL DEFAULT 0,
    CONSTRAINT finished_runs_have_an_end CHECK ((state = 'running') = (finished_at IS NULL)),
    CONSTRAINT time_goes_forward CHECK (finished_at >= started_at)
);

-- What a run could not read, and on which page it gave up.
CREATE TABLE setbacks (
    run_id         text        NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    item_id        bigint      NOT NULL REFERENCES items (item_id),
    page           integer     CHECK (page > 0),
    reason         text        NOT NULL,
    PRIMARY KEY (run_id, item_id)
);

-- Items that the last finished run failed on: the list that the volunteer desk reads on Mondays.
CREATE VIEW volunteer_desk AS
SELECT c.name AS collection, i.path, i.title, s.page, s.reason
FROM setbacks AS s
JOIN items AS i USING (item_id)
JOIN collections AS c USING (collection_id)
WHERE s.run_id = (
    SELECT run_id
    FROM runs
    WHERE state <> 'running'
    ORDER BY finished_at DESC
    LIMIT 1
)
ORDER BY c.name, i.path;

-- Size of each collection, empty ones included.
CREATE VIEW holdings AS
SELECT
    c.name AS collection,
    count(i.item_id) AS items,
    coalesce(sum(i.pages), 0) AS pages,
    min(i.year) AS first_year,
    max(i.year) AS last_year,
    max(i.scanned_on) AS last_scan
FROM collections AS c
LEFT JOIN items AS i ON i.collection_id = c.collection_id AND i.withdrawn_at IS NULL
GROUP BY c.name;

-- Years of a collection without a single item: gaps in the registers, letters that were never found.
CREATE FUNCTION missing_years(of_collection text, first_year integer, last_year integer)
RETURNS SETOF integer
LANGUAGE sql
STABLE
AS $$
    SELECT y.year
    FROM generate_series(first_year, last_year) AS y (year)
    WHERE NOT EXISTS (
        SELECT 1
        FROM catalogue.items AS i
        JOIN catalogue.collections AS c USING (collection_id)
        WHERE c.name = of_collection
          AND i.year = y.year
          AND i.withdrawn_at IS NULL
    )
    ORDER BY y.year;
$$;

COMMENT ON FUNCTION missing_years IS 'missing_years(''registers'', 1871, 1964) lists the years still to be scanned';
