"""Where to cut: pure functions from a document to parents and children. No I/O, no Airflow, no database."""
