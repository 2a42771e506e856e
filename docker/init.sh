#!/usr/bin/env bash
# Brings both databases up to date and makes what Airflow needs before its services start. Runs at each start.
set -euo pipefail

airflow db migrate
python -c 'from corpus import database, migrations; migrations.migrate(database.dsn())'

airflow pools set parsing "$PARSING_SLOTS" "Reading, parsing and cutting documents"
airflow pools set embedding "$EMBEDDING_SLOTS" "Running an embedding model"

# `users create` leaves a user that exists as it is.
airflow users create --role Admin --username "$ADMIN_USER" --password "$ADMIN_PASSWORD" \
  --firstname Kerf --lastname Admin --email "$ADMIN_USER@localhost"
