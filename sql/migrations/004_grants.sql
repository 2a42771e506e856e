-- Who may do what. Tables belong to kerf_owner; the pipeline writes as kerf_writer, searches read as kerf_reader.

GRANT USAGE ON SCHEMA public TO kerf_writer, kerf_reader;

GRANT SELECT ON corpora, documents, parents, children, embedding_models, embeddings TO kerf_reader;

GRANT SELECT, INSERT, UPDATE, DELETE ON
    corpora, documents, parents, children, parsed_documents, quarantine,
    sync_runs, sync_documents, sync_items, sync_texts, cost_ledger
TO kerf_writer;
GRANT SELECT, INSERT, DELETE ON embeddings TO kerf_writer;
GRANT SELECT ON embedding_models TO kerf_writer;
GRANT SELECT ON schema_migrations TO kerf_writer, kerf_reader;
GRANT USAGE ON SEQUENCE read_sequence TO kerf_writer;
GRANT EXECUTE ON FUNCTION register_embedding_model TO kerf_writer;
