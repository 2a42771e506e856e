-- Vectors, content-addressed: one row for each text and model, whatever number of children hold the text.

CREATE TABLE embeddings (
    model_id  integer NOT NULL REFERENCES embedding_models (id),
    key       bytea   NOT NULL,
    embedding vector  NOT NULL,
    PRIMARY KEY (model_id, key)
) PARTITION BY LIST (model_id);
COMMENT ON TABLE embeddings IS 'One partition for each model, so that each has its own dimensions and its own HNSW index.';

-- Registers a model and makes its storage; returns its id, and whether it is new. Safe to call again and from several
-- sessions at once. A writer may not create tables, so this runs as the owner. It returns no content.
CREATE FUNCTION register_embedding_model(
    model_fingerprint text, model_name text, model_dimensions integer, model_max_tokens integer,
    OUT id integer, OUT made boolean
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    model     embedding_models%ROWTYPE;
    partition text;
    cast_type text;
    operators text;
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

    -- HNSW holds vector up to 2,000 dimensions and halfvec up to 4,000; beyond, search is exact.
    IF model.dimensions <= 4000 THEN
        cast_type := CASE WHEN model.dimensions <= 2000 THEN 'vector' ELSE 'halfvec' END;
        operators := cast_type || '_cosine_ops';
        EXECUTE format(
            'CREATE INDEX %I ON %I USING hnsw ((embedding::%s(%s)) %s)',
            partition || '_hnsw', partition, cast_type, model.dimensions, operators
        );
    END IF;
    EXECUTE format('ALTER TABLE embeddings ATTACH PARTITION %I FOR VALUES IN (%s)', partition, model.id);
    id := model.id;
    made := true;
END $$;
REVOKE EXECUTE ON FUNCTION register_embedding_model FROM PUBLIC;
