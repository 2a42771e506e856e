-- A model's HNSW index is built when the first corpus is about to be asked with it, over all the vectors that its first
-- sync, or the change to it, has made: a fourth of the work of taking them in one by one. Later vectors go into it as
-- they come. Until it is there a search is exact.

CREATE OR REPLACE FUNCTION register_embedding_model(
    model_fingerprint text, model_name text, model_dimensions integer, model_max_tokens integer,
    OUT id integer, OUT made boolean
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    model     embedding_models%ROWTYPE;
    partition text;
BEGIN
    SELECT * INTO model FROM embedding_models m WHERE m.fingerprint = model_fingerprint;
    IF NOT FOUND THEN
        PERFORM pg_advisory_xact_lock(hashtext('kerf.register_embedding_model'));
        SELECT * INTO model FROM embedding_models m WHERE m.fingerprint = model_fingerprint;
    END IF;
    IF model.id IS NOT NULL THEN
        IF model.dimensions <> model_dimensions THEN
            RAISE EXCEPTION 'model % is registered with % dimensions, not %',
                model_name, model.dimensions, model_dimensions;
        END IF;
        id := model.id;
        made := false;
        RETURN;
    END IF;

    INSERT INTO embedding_models (fingerprint, name, dimensions, max_tokens)
    VALUES (model_fingerprint, model_name, model_dimensions, model_max_tokens)
    RETURNING * INTO model;

    -- Attached, not created in its place: that would wait for every search that is running, and all later ones for it.
    partition := format('embeddings_m%s', model.id);
    EXECUTE format('CREATE TABLE %I (LIKE embeddings INCLUDING INDEXES)', partition);
    EXECUTE format('ALTER TABLE %I ADD CHECK (vector_dims(embedding) = %s)', partition, model.dimensions);
    EXECUTE format('GRANT SELECT ON %I TO kerf_reader', partition);
    EXECUTE format('GRANT SELECT, INSERT, DELETE ON %I TO kerf_writer', partition);
    EXECUTE format('ALTER TABLE embeddings ATTACH PARTITION %I FOR VALUES IN (%s)', partition, model.id);
    id := model.id;
    made := true;
END $$;

-- Builds the index of a model's vectors, unless it is there. A writer may not make indexes, so this runs as the owner.
-- Searches go on meanwhile; whoever stores vectors of this model waits. Without parallel workers: they would want all of
-- maintenance_work_mem as shared memory, of which a container has 64 MB.
CREATE FUNCTION index_embeddings(model integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET max_parallel_maintenance_workers = 0 AS $$
DECLARE
    partition  text := format('embeddings_m%s', model);
    dimensions integer;
    cast_type  text;
BEGIN
    SELECT m.dimensions INTO STRICT dimensions FROM embedding_models m WHERE m.id = model;
    -- HNSW holds vector up to 2,000 dimensions and halfvec up to 4,000; beyond, search is exact.
    IF dimensions > 4000 OR to_regclass(format('%I', partition || '_hnsw')) IS NOT NULL THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('kerf.index_embeddings'), model);  -- whoever else would build it waits
    cast_type := CASE WHEN dimensions <= 2000 THEN 'vector' ELSE 'halfvec' END;
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %I ON %I USING hnsw ((embedding::%s(%s)) %s)',
        partition || '_hnsw', partition, cast_type, dimensions, cast_type || '_cosine_ops'
    );
END $$;
REVOKE EXECUTE ON FUNCTION index_embeddings FROM PUBLIC;
GRANT EXECUTE ON FUNCTION index_embeddings TO kerf_writer;
