"""Migrations, on a real server."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from own_server import make_folder, remove

from corpus import migrations
from corpus.database import connect, open_connection, start
from corpus.errors import ConfigError, StoreUnavailable
from corpus.migrations import migrate, pending
from corpus.queries import sql_folder

numbers = itertools.count(1)


@pytest.fixture(scope="module")
def server():
    folder = make_folder()
    yield start(folder)
    remove(folder)


def new_database(server, owner: str = "postgres") -> str:
    name = f"migrated_{next(numbers)}"
    with open_connection(server.uri("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER {owner}")
    return server.uri(name)


@pytest.fixture
def uri(server):
    return new_database(server)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write migrations into a folder of the test's own."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    monkeypatch.setenv("KERF_SQL", str(tmp_path))

    def write(**texts: str) -> Path:
        for name, text in texts.items():
            (folder / f"{name.removeprefix('m')}.sql").write_text(text)
        return folder

    return write


def rows(uri: str, question: str):
    with open_connection(uri) as connection:
        return connection.execute(question).fetchall()


def test_the_migrations_of_the_project_make_its_schema(uri):
    expected = [int(path.name[:3]) for path in sorted((sql_folder() / "migrations").glob("*.sql"))]
    assert expected[0] == 1
    assert pending(uri) == expected
    assert migrate(uri) == expected
    assert pending(uri) == []
    assert migrate(uri) == []
    tables = {name for (name,) in rows(uri, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    assert tables >= {"documents", "parents", "children", "embeddings", "sync_runs", "schema_migrations"}
    owners = {owner for (owner,) in rows(uri, "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'")}
    assert owners == {"kerf_owner"}


def test_what_was_applied_is_recorded(uri, files):
    files(m001_one="CREATE TABLE one (id integer)", m002_two="CREATE TABLE two (id integer)")
    migrate(uri)
    recorded = rows(uri, "SELECT number, name, applied_at <= now() FROM schema_migrations ORDER BY number")
    assert recorded == [(1, "001_one.sql", True), (2, "002_two.sql", True)]


def test_only_what_is_new_is_applied(uri, files):
    files(m001_one="CREATE TABLE one (id integer)")
    assert migrate(uri) == [1]
    files(m002_two="CREATE TABLE two (id integer); INSERT INTO two VALUES (1)")
    assert pending(uri) == [2]
    assert migrate(uri) == [2]
    assert rows(uri, "SELECT * FROM two") == [(1,)]


def test_numbers_may_leave_room(uri, files):
    files(m001_one="SELECT 1", m020_twenty="SELECT 1")
    assert migrate(uri) == [1, 20]


def test_a_migration_that_fails_leaves_nothing_and_keeps_those_before_it(uri, files):
    files(
        m001_one="CREATE TABLE one (id integer)",
        m002_two="CREATE TABLE two (id integer);\n\nINSERT INTO nowhere VALUES (1)",
        m003_three="CREATE TABLE three (id integer)",
    )
    with pytest.raises(ConfigError, match=r"002_two\.sql failed in line 3: .*nowhere"):
        migrate(uri)
    assert rows(uri, "SELECT to_regclass('one') IS NOT NULL, to_regclass('two'), to_regclass('three')") == [
        (True, None, None)
    ]
    assert pending(uri) == [2, 3]
    files(m002_two="CREATE TABLE two (id integer)")
    assert migrate(uri) == [2, 3]


def test_a_file_that_was_changed_after_it_was_applied_is_named(uri, files):
    files(m001_one="CREATE TABLE one (id integer)", m002_two="SELECT 2")
    migrate(uri)
    files(m001_one="CREATE TABLE one (id bigint)")
    for check in (migrate, pending):
        with pytest.raises(ConfigError, match=r"001_one\.sql was changed"):
            check(uri)


def test_the_newlines_of_a_checkout_do_not_count(uri, files):
    folder = files(m001_one="SELECT 1;\nSELECT 2;\n")
    migrate(uri)
    (folder / "001_one.sql").write_bytes(b"SELECT 1;\r\nSELECT 2;\r\n")
    assert migrate(uri) == []


def test_an_applied_file_that_is_missing_is_named(uri, files):
    folder = files(m001_one="SELECT 1", m002_two="SELECT 2", m003_three="SELECT 3")
    migrate(uri)
    (folder / "002_two.sql").unlink()
    with pytest.raises(ConfigError, match=r"002_two\.sql is applied"):
        migrate(uri)


def test_a_lower_number_cannot_be_applied_afterwards(uri, files):
    files(m001_one="SELECT 1", m003_three="SELECT 3")
    migrate(uri)
    files(m002_two="SELECT 2")
    with pytest.raises(ConfigError, match=r"002_two\.sql cannot be applied after 003_three\.sql"):
        migrate(uri)


def test_a_database_that_is_newer_than_the_code_is_refused(uri, files):
    folder = files(m001_one="SELECT 1", m002_two="SELECT 2")
    migrate(uri)
    (folder / "002_two.sql").unlink()
    with pytest.raises(ConfigError, match=r"newer than this code: it has 002_two\.sql, and the code ends at 001"):
        migrate(uri)


@pytest.mark.parametrize("text", ["CREATE TABLE a (id integer); COMMIT", "ROLLBACK; CREATE TABLE a (id integer)"])
def test_a_file_that_ends_its_own_transaction_is_refused(uri, files, text):
    files(m001_one=text)
    with pytest.raises(ConfigError, match=r"001_one\.sql"):
        migrate(uri)
    assert pending(uri) == [1]


@pytest.mark.parametrize("name", ["1_one.sql", "one.sql", "001-one.sql", "0001_one.sql"])
def test_a_file_without_a_proper_number_is_named(tmp_path, name):
    (tmp_path / name).write_text("SELECT 1")
    with pytest.raises(ConfigError, match=name):
        migrations.migrations(tmp_path)


def test_two_files_with_one_number_are_named(tmp_path):
    for name in ("001_one.sql", "001_two.sql"):
        (tmp_path / name).write_text("SELECT 1")
    with pytest.raises(ConfigError, match=r"001_two\.sql and 001_one\.sql"):
        migrations.migrations(tmp_path)


def test_files_that_are_not_there_are_an_error_that_names_the_setting(uri, tmp_path, monkeypatch):
    monkeypatch.setenv("KERF_SQL", str(tmp_path))
    with pytest.raises(ConfigError, match="KERF_SQL"):
        migrate(uri)
    (tmp_path / "migrations").mkdir()
    with pytest.raises(ConfigError, match="holds no migrations"):
        migrate(uri)


def test_processes_that_migrate_at_once_apply_everything_once(server, files):
    files(m001_one="CREATE TABLE one (id integer); SELECT pg_sleep(0.3)", m002_two="INSERT INTO one VALUES (1)")
    first, second = new_database(server), new_database(server)
    code = "import sys; from corpus.migrations import migrate; print(len(migrate(sys.argv[1])))"
    started = [
        subprocess.Popen([sys.executable, "-c", code, uri], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for uri in (first, second, first)
    ]
    results = [process.communicate(timeout=120) for process in started]
    assert [error for _, error in results] == ["", "", ""]
    assert results[1][0].strip() == "2"
    assert sorted(results[index][0].strip() for index in (0, 2)) == ["0", "2"]
    assert rows(first, "SELECT count(*) FROM one") == [(1,)]


def test_a_server_that_does_not_answer_is_a_transient_error(tmp_path):
    with pytest.raises(StoreUnavailable):
        migrate(f"postgresql://postgres@/corpus?host={tmp_path}")


class TestWithoutSuperuser:
    """A login as a managed server gives it. Roles are the server's, so each case has names of its own."""

    @pytest.fixture
    def clean(self):
        """A server without Kerf's roles."""
        folder = make_folder()
        yield start(folder)
        remove(folder)

    def as_login(self, uri: str, login: str) -> str:
        return uri.replace("postgres@", f"{login}@")

    def test_a_login_that_may_make_roles_sets_everything_up(self, clean, files):
        files(m001_one="CREATE TABLE one (id integer); GRANT SELECT ON one TO kerf_reader")
        with open_connection(clean.uri("postgres"), autocommit=True) as connection:
            connection.execute("CREATE ROLE app LOGIN CREATEROLE")
        uri = new_database(clean, owner="app")
        mine = self.as_login(uri, "app")
        with pytest.raises(ConfigError, match="cannot be set up by app") as caught:
            migrate(mine)
        assert caught.value.hint.startswith("as an administrator, in this database: CREATE EXTENSION vector")
        with open_connection(uri, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        assert migrate(mine) == [1]
        assert migrate(mine) == []
        with connect(mine, role="kerf_reader") as connection:
            assert connection.execute("SELECT count(*) FROM one").fetchone() == (0,)
        with open_connection(mine) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT count(*) FROM one")  # it inherits nothing

    def test_a_login_without_rights_is_given_the_sql_that_an_administrator_needs(self, clean, files):
        files(m001_one="CREATE TABLE one (id integer)")
        with open_connection(clean.uri("postgres"), autocommit=True) as connection:
            connection.execute('CREATE ROLE "plain login" LOGIN')
        uri = new_database(clean)
        mine = uri.replace("postgres@", "plain%20login@")
        with pytest.raises(ConfigError) as caught:
            migrate(mine)
        with open_connection(uri, autocommit=True) as connection:
            connection.execute(caught.value.hint.partition(": ")[2])
        assert migrate(mine) == [1]
        assert pending(mine) == []
