"""What all tests share: the folder of large data, and a fresh database on one embedded server."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from hypothesis import settings
from site_under_test import Site

from corpus import database as databases
from corpus import server
from corpus.migrations import migrate

# The same examples every time, so that a red run can be run again; KERF_TEST_RANDOM=1 looks for new ones.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("default" if os.environ.get("KERF_TEST_RANDOM") else "repeatable")

TEST_DATA = os.environ.get("KERF_TEST_DATA")  #: as the tests were started; some of them take variables away

_numbers = itertools.count()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Documents and golden answers that may not be copied into the project."""
    if not TEST_DATA:
        pytest.skip("KERF_TEST_DATA names no folder with the test documents that may not be redistributed")
    return Path(TEST_DATA)


@pytest.fixture(scope="session")
def server_home() -> Iterator[Path]:
    """The home of an embedded server that lives as long as the tests.

    Not in pytest's own folder, which only its user may enter: as root the server runs as somebody else.
    """
    with TemporaryDirectory(prefix="kerf-tests-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        server.start(home)
        yield home
        server.stop(home)


@pytest.fixture(scope="session")
def template(server_home: Path) -> str:
    """The name of a migrated database that fresh ones are copied from."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("KERF_DATABASE_URL", raising=False)
        patch.delenv("AIRFLOW_CONN_CORPUS_DB", raising=False)
        migrate(databases.dsn(server_home, "template_corpus"))
    return "template_corpus"


@pytest.fixture
def fresh_database(server_home: Path, template: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Makes fresh, migrated databases and returns their DSNs."""
    monkeypatch.delenv("KERF_DATABASE_URL", raising=False)
    monkeypatch.delenv("AIRFLOW_CONN_CORPUS_DB", raising=False)
    administration = databases.dsn(server_home, "postgres")
    made: list[str] = []

    def make() -> str:
        name = f"test_{next(_numbers)}"
        with psycopg.connect(administration, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        made.append(name)
        return databases.dsn(server_home, name)

    yield make
    with psycopg.connect(administration, autocommit=True) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database(fresh_database: Callable[[], str]) -> str:
    """The DSN of a fresh, migrated database."""
    return fresh_database()


@pytest.fixture
def site(tmp_path: Path, database: str) -> Site:
    """A small corpus on a fresh database."""
    made = Site(tmp_path, database)
    made.source.mkdir()
    return made
