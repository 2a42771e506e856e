"""docker/initdb makes databases that the migrations can be applied to by a login without special rights."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from corpus import installation, server
from corpus.migrations import migrate

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def empty_server(tmp_path: Path) -> Iterator[server.Server]:
    """A server of its own: the script makes roles, and roles are a server's."""
    yield server.start(tmp_path / "home")
    server.stop(tmp_path / "home")


def test_the_script_makes_what_the_migrations_need_and_gives_no_login_more(empty_server: server.Server):
    subprocess.run(
        [ROOT / "docker" / "initdb" / "10-databases.sh"],
        env={
            "PATH": f"{installation.programs(None)}:{os.environ['PATH']}",
            "PGHOST": str(empty_server.socket),
            "POSTGRES_USER": "postgres",
            "AIRFLOW_DB_PASSWORD": "a",
            "CORPUS_DB_PASSWORD": "it's",
        },
        check=True,
    )
    corpus = empty_server.uri("corpus").replace("postgres@", "kerf@")
    assert migrate(corpus)
    with psycopg.connect(corpus) as connection:
        rights = connection.execute(
            "SELECT rolname FROM pg_roles WHERE rolname IN ('kerf', 'airflow')"
            " AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls)"
        ).fetchall()
        assert rights == []
        connection.execute("SET ROLE kerf_writer")
        assert connection.execute("SELECT count(*) FROM documents").fetchone() == (0,)

    with pytest.raises(psycopg.OperationalError, match="permission denied"):
        psycopg.connect(empty_server.uri("airflow").replace("postgres@", "kerf@"))
    with psycopg.connect(empty_server.uri("airflow").replace("postgres@", "airflow@")) as connection:
        connection.execute("CREATE TABLE dag (id int)")
