-- Lending: tables, then what works on them.

-- Everyone who may borrow.
CREATE TABLE IF NOT EXISTS lending.readers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL DEFAULT 'anon; unknown', -- it's a default
    "joined on" date
);
COMMENT ON TABLE lending.readers IS 'Readers 読者; not staff';

CREATE UNIQUE INDEX CONCURRENTLY readers_by_name ON lending.readers (name);

CREATE OR REPLACE VIEW "Active Readers" AS
SELECT id, name FROM lending.readers WHERE "joined on" > now() - interval '1 year';

/* A trigger function; its body has semicolons
   and the word CREATE TABLE. */
CREATE FUNCTION lending.touch(
    a integer DEFAULT 1,
    b text DEFAULT 'x'
) RETURNS trigger
LANGUAGE plpgsql AS $body$
BEGIN
    IF NEW.name IS NULL THEN
        RAISE EXCEPTION 'no name; no card 📇';
    END IF;
    -- CREATE TABLE nonsense (id int);
    RETURN NEW;
END;
$body$;

CREATE TRIGGER touch_readers BEFORE UPDATE ON lending.readers
    FOR EACH ROW EXECUTE FUNCTION lending.touch();

CREATE PROCEDURE settle(amount numeric)
LANGUAGE SQL
BEGIN ATOMIC
    INSERT INTO fines VALUES (amount);
    SELECT CASE WHEN amount > 0 THEN 1 ELSE 0 END;
END;

CREATE TYPE lending.state AS ENUM ('open', 'closed');
CREATE EXTENSION IF NOT EXISTS vector;

INSERT INTO lending.readers (name) VALUES ('O''Brien; Flann');
SELECT name, embedding <=> '[1,2,3]'::vector FROM "Active Readers";
DO $$ BEGIN PERFORM 1; END $$;

CREATE POLICY own_rows ON lending.readers USING (id = current_reader());

COPY lending.readers (name) FROM stdin;
it's; unbalanced
\.

CREATE MATERIALIZED VIEW counts AS SELECT count(*) FROM lending.readers
