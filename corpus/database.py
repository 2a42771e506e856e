"""Which database, and a connection to it.

The database is the one of `KERF_DATABASE_URL`; or else the one of `AIRFLOW_CONN_CORPUS_DB`, Airflow's connection
`corpus_db`; or else one of the embedded server under `KERF_HOME` (default `.kerf`), see `corpus.server`.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlencode

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from corpus.errors import ConfigError, StoreUnavailable
from corpus.server import Server, running, start, stop

__all__ = ["Role", "Server", "connect", "dsn", "open_connection", "running", "sqlalchemy_uri", "start", "stop"]

Role = Literal["kerf_owner", "kerf_writer", "kerf_reader"]

DATABASE = "corpus"  #: on the embedded server

_DEFAULTS: dict[str, Any] = {
    "application_name": "kerf",
    "connect_timeout": 10,  # seconds
    "keepalives_idle": 30,  # seconds; a server that went away is noticed within a minute
    "keepalives_interval": 10,
    "keepalives_count": 3,
}


def default_home() -> Path:
    """`KERF_HOME`, or `.kerf` in the current folder."""
    return Path(os.environ.get("KERF_HOME") or ".kerf").absolute()


def dsn(home: Path | None = None, database: str | None = None) -> str:
    """The URI of the database, for psycopg; starts the embedded server if that is what it takes.

    `home` is where the embedded server lies (default: `default_home`). `database` names another database on the same
    server, such as Airflow's; on the embedded server it is made if it is missing. Raises `ConfigError` for a URI that
    is none, and what `corpus.server.start` raises.
    """
    for setting in ("KERF_DATABASE_URL", "AIRFLOW_CONN_CORPUS_DB"):
        given = os.environ.get(setting)
        if given:
            parameters = _parsed(given, setting)
            return given if database is None else make_conninfo(**{**parameters, "dbname": database})
    server = start(home or default_home())
    database = database or DATABASE
    with open_connection(server.uri("postgres"), autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone()
        if not known:
            with suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):  # another was faster
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
    return server.uri(database)


def sqlalchemy_uri(dsn: str, driver: str = "psycopg") -> str:
    """The same database for SQLAlchemy, as `AIRFLOW__DATABASE__SQL_ALCHEMY_CONN` wants it.

    A Unix socket's folder goes into the query. Airflow derives the URI for asyncpg from this one, so parameters that
    only libpq knows are left out.
    """
    given = _parsed(dsn, "the database URI")
    user, password = given.get("user"), given.get("password")
    host, port = str(given.get("host") or ""), given.get("port")
    login = quote(str(user), safe="") if user else ""
    if password:
        login += ":" + quote(str(password), safe="")
    where, query = "", {}
    if host.startswith("/"):
        query = {"host": host, **({"port": str(port)} if port else {})}
    elif host:
        where = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    name = quote(str(given.get("dbname") or user or ""), safe="")
    options = f"?{urlencode(query, safe='/')}" if query else ""
    return f"postgresql+{driver}://{login}{'@' if login else ''}{where}/{name}{options}"


def connect(dsn: str, *, role: Role | None, autocommit: bool = False) -> psycopg.Connection[Any]:
    """Connect, act as `role` from then on, and let vectors pass.

    Raises `StoreUnavailable` if the database does not answer, `ConfigError` if it has not been set up or if the login
    may not act as `role`.
    """
    connection = open_connection(dsn, autocommit=True)
    try:
        if role is not None:
            connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
        register_vector(connection)
        connection.autocommit = autocommit
    except psycopg.errors.InsufficientPrivilege as error:
        login = connection.info.user
        connection.close()
        raise ConfigError(
            f"the login {login} may not act as {role}", hint=f"as an administrator: GRANT {role} TO {login}"
        ) from error
    except psycopg.OperationalError as error:
        connection.close()
        raise _unavailable(dsn, error) from None
    except psycopg.Error as error:  # no such role, no such type
        connection.close()
        raise ConfigError("the database has not been set up for Kerf", hint="apply the migrations first") from error
    return connection


def open_connection(dsn: str, *, autocommit: bool = False) -> psycopg.Connection[Any]:
    """Connect as the login itself, to a database that need not be set up. Raises as `connect` does."""
    given = _parsed(dsn, "the database URI")
    try:
        return psycopg.connect(make_conninfo(**{**_DEFAULTS, **given}), autocommit=autocommit)
    except psycopg.OperationalError as error:
        raise _unavailable(dsn, error) from None


def _parsed(dsn: str, setting: str) -> dict[str, Any]:
    """Its parameters. No message quotes the URI: there may be a password in it."""
    scheme, separator, rest = dsn.partition("://")
    login, at, _ = rest.partition("?")[0].rpartition("@")
    hint = "it looks like postgresql://user:password@host:5432/database"
    if separator and at and re.search("[/@?#]", login):
        raise ConfigError(
            f"{setting} has a user or password with @, /, ? or # in it", hint="write them as %40 and so on"
        )
    if separator and scheme not in ("postgresql", "postgres"):
        raise ConfigError(f"{setting} starts with {scheme}://, which is not a URI that libpq reads", hint=hint)
    try:
        return dict(conninfo_to_dict(dsn))
    except psycopg.ProgrammingError:
        raise ConfigError(f"{setting} is not a URI of a PostgreSQL database", hint=hint) from None


def _unavailable(dsn: str, error: psycopg.OperationalError) -> StoreUnavailable:
    given = _parsed(dsn, "the database URI")
    reason = " ".join(str(error).split())
    if given.get("password"):
        reason = reason.replace(str(given["password"]), "***")
    embedded = str(given.get("host", "")).startswith("/")
    hint = "is the embedded server running?" if embedded else "check that it runs, and what KERF_DATABASE_URL says"
    return StoreUnavailable(f"the database does not answer: {reason}", hint=hint)
