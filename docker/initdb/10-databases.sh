#!/usr/bin/env bash
# Run once by the image of Postgres, on an empty volume: a database and a login each for Airflow and for the corpora.
# What needs a superuser is done here; the tables are made by the migrations, as the login `kerf`.
set -euo pipefail

psql -v ON_ERROR_STOP=1 --no-psqlrc --quiet --username "$POSTGRES_USER" --dbname postgres \
  -v airflow_password="$AIRFLOW_DB_PASSWORD" -v corpus_password="$CORPUS_DB_PASSWORD" <<'SQL'
CREATE ROLE airflow LOGIN PASSWORD :'airflow_password';
CREATE DATABASE airflow OWNER airflow;

CREATE ROLE kerf LOGIN PASSWORD :'corpus_password';
CREATE ROLE kerf_owner NOLOGIN;
CREATE ROLE kerf_writer NOLOGIN;
CREATE ROLE kerf_reader NOLOGIN;
GRANT kerf_owner, kerf_writer, kerf_reader TO kerf WITH INHERIT FALSE, SET TRUE;
CREATE DATABASE corpus OWNER kerf;

REVOKE CONNECT ON DATABASE airflow, corpus FROM PUBLIC;

\connect corpus
CREATE EXTENSION vector;
GRANT CREATE, USAGE ON SCHEMA public TO kerf_owner WITH GRANT OPTION;
SQL
