"""The schema, brought up to date: numbered SQL files, applied in order, forward only.

`sql/migrations/NNN_name.sql` each run in a transaction of their own as `kerf_owner`, and are recorded in
`schema_migrations` with the checksum of the file. Numbers may leave room between them, but once a number is applied
no lower one can come after it. What needs more rights than `kerf_owner` has is done before the first of them: the
extension `vector` and the roles `kerf_owner`, `kerf_writer` and `kerf_reader`, which the login that connects may then
act as (`SET ROLE`; it inherits nothing, so that row-level security holds until it asks to be somebody else).
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus

from corpus.database import open_connection
from corpus.errors import ConfigError, StoreUnavailable
from corpus.queries import sql_folder

ROLES = ("kerf_owner", "kerf_writer", "kerf_reader")
LOCK = 0x6B657266  #: of the advisory lock: "kerf"
OLDEST_SERVER = 160000  #: the first in which a membership can give SET ROLE without inheritance
OLDEST_VECTOR = (0, 8)  #: the first that goes on searching when filters leave too little


@dataclass(frozen=True, slots=True)
class Migration:
    """A file of `sql/migrations`."""

    number: int
    file: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, hexadecimal; the newlines of the checkout do not count."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()


def migrate(dsn: str) -> list[int]:
    """Apply what is not applied yet; returns the numbers applied now.

    Any number of processes may call this at once. Raises `ConfigError`, with nothing or with whole migrations applied,
    if the files and the database do not fit together, if one of them fails, or if the login lacks rights: then with
    the SQL for an administrator. Raises `StoreUnavailable` if the database does not answer.
    """
    files = migrations()
    connection = open_connection(dsn, autocommit=True)
    try:
        # Not an `if not exists` for each step: two sessions that run the same one at once can both fail.
        connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        _bootstrap(connection)
        waiting = _waiting(files, _applied(connection))
        for migration in waiting:
            _apply(connection, migration)
        return [migration.number for migration in waiting]
    except psycopg.OperationalError as error:
        reason = " ".join(str(error).split())
        raise StoreUnavailable(f"the database gave up: {reason}", hint="start the migration again") from error
    finally:
        connection.close()


def pending(dsn: str) -> list[int]:
    """The numbers that `migrate` would apply; changes nothing. Raises as `migrate` does."""
    files = migrations()
    with open_connection(dsn, autocommit=True) as connection:
        found = connection.execute("SELECT to_regclass('public.schema_migrations') IS NOT NULL").fetchone()
        applied = _applied(connection) if found and found[0] else {}
    return [migration.number for migration in _waiting(files, applied)]


def migrations(folder: Path | None = None) -> list[Migration]:
    """The files in order; raises `ConfigError` for one whose name has no number or whose number is taken."""
    folder = folder or sql_folder() / "migrations"
    found: dict[int, Migration] = {}
    for path in sorted(folder.glob("*.sql")):
        match = re.fullmatch(r"(\d{3})_\w+\.sql", path.name)
        if not match:
            raise ConfigError(f"{path} is not named as a migration", hint="name it like 007_what_it_does.sql")
        number = int(match[1])
        if number in found:
            raise ConfigError(f"{path.name} and {found[number].file} have the same number", hint="give one a new one")
        found[number] = Migration(number, path.name, path.read_text(encoding="utf-8"))
    if not found:
        raise ConfigError(f"{folder} holds no migrations", hint="set KERF_SQL to the folder sql of the project")
    return list(found.values())


def _waiting(files: Iterable[Migration], applied: Mapping[int, tuple[str, str]]) -> list[Migration]:
    """The files to apply. `applied` gives name and checksum by number."""
    known = {migration.number: migration for migration in files}
    last = max(applied, default=0)
    if last > max(known):
        raise ConfigError(
            f"the database is newer than this code: it has {applied[last][0]}, and the code ends at {max(known):03d}",
            hint="install the newer version of Kerf",
        )
    for number, (name, checksum) in sorted(applied.items()):
        if number not in known:
            raise ConfigError(f"{name} is applied, but sql/migrations lacks it", hint="restore the file")
        if known[number].checksum != checksum:
            raise ConfigError(
                f"{known[number].file} was changed after it was applied",
                hint="restore it, and put the change into a new migration",
            )
    waiting = [migration for migration in known.values() if migration.number not in applied]
    for migration in waiting:
        if migration.number < last:
            raise ConfigError(
                f"{migration.file} cannot be applied after {applied[last][0]}", hint="give it the next free number"
            )
    return waiting


def _applied(connection: psycopg.Connection[Any]) -> dict[int, tuple[str, str]]:
    with connection.transaction():
        _become_owner(connection)
        rows = connection.execute("SELECT number, name, checksum FROM public.schema_migrations").fetchall()
    return {number: (name, checksum) for number, name, checksum in rows}


def _apply(connection: psycopg.Connection[Any], migration: Migration) -> None:
    try:
        with connection.transaction():
            _become_owner(connection)
            connection.execute(migration.text, prepare=False)
            if connection.info.transaction_status is not TransactionStatus.INTRANS:
                raise ConfigError(
                    f"{migration.file} ends its own transaction", hint="take COMMIT and ROLLBACK out of it"
                )
            _become_owner(connection)
            connection.execute(
                "INSERT INTO public.schema_migrations (number, name, checksum) VALUES (%s, %s, %s)",
                [migration.number, migration.file, migration.checksum],
            )
    except psycopg.OperationalError:
        raise
    except psycopg.Error as error:
        place = error.diag.statement_position
        line = f" in line {migration.text.count(chr(10), 0, int(place) - 1) + 1}" if place else ""
        raise ConfigError(
            f"{migration.file} failed{line}: {error.diag.message_primary or error}",
            hint="nothing of it is applied; those before it are",
            stage="migrate",
        ) from error


def _become_owner(connection: psycopg.Connection[Any]) -> None:
    connection.execute("SET LOCAL ROLE kerf_owner")


def _bootstrap(connection: psycopg.Connection[Any]) -> None:
    """The extension, the roles, the owner's right to the schema, and the table of migrations."""
    version = connection.info.server_version
    if version < OLDEST_SERVER:
        raise ConfigError(
            f"the server is PostgreSQL {version // 10000}, and Kerf needs {OLDEST_SERVER // 10000} or newer",
            hint="name another one in KERF_DATABASE_URL",
        )
    steps = _missing(connection)
    try:
        for step in steps:
            _execute_once(connection, step)
    except (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.UndefinedFile,
        psycopg.errors.FeatureNotSupported,
    ) as e:
        todo = "; ".join(step.as_string(connection) for step in _missing(connection))
        raise ConfigError(
            f"the database cannot be set up by {connection.info.user}: {e.diag.message_primary}",
            hint=f"as an administrator, in this database: {todo}",
            stage="migrate",
        ) from e
    _check_vector(connection)
    with connection.transaction():
        _become_owner(connection)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS public.schema_migrations (number integer PRIMARY KEY, name text NOT NULL,"
            " checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
        )


def _missing(connection: psycopg.Connection[Any]) -> list[sql.SQL | sql.Composed]:
    """What an administrator, or a login with rights enough, has still to do."""
    steps: list[sql.SQL | sql.Composed] = []
    login = sql.Identifier(connection.info.user)
    if not _ask(connection, "SELECT count(*) FROM pg_extension WHERE extname = 'vector'"):
        steps.append(sql.SQL("CREATE EXTENSION vector"))
    for role in ROLES:
        exists = _ask(connection, "SELECT count(*) FROM pg_roles WHERE rolname = %s", role)
        if not exists:
            steps.append(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(role)))
        if not exists or not _ask(connection, "SELECT pg_has_role(%s, 'SET')", role):
            steps.append(sql.SQL("GRANT {} TO {} WITH INHERIT FALSE, SET TRUE").format(sql.Identifier(role), login))
        if role == "kerf_owner" and not (
            exists
            and _ask(
                connection,
                "SELECT has_schema_privilege(%s, 'public', 'CREATE WITH GRANT OPTION')"
                " AND has_schema_privilege(%s, 'public', 'USAGE WITH GRANT OPTION')",
                role,
                role,
            )
        ):
            steps.append(sql.SQL("GRANT CREATE, USAGE ON SCHEMA public TO kerf_owner WITH GRANT OPTION"))
    return steps


def _ask(connection: psycopg.Connection[Any], question: LiteralString, *values: str) -> Any:
    row = connection.execute(question, values).fetchone()
    return row and row[0]


def _execute_once(connection: psycopg.Connection[Any], step: sql.SQL | sql.Composed) -> None:
    """Run a step that a session in another database of this server may be running too: roles are the server's."""
    for attempt in range(10):
        try:
            connection.execute(step)
        except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
            return
        except psycopg.errors.InternalError_:  # "tuple concurrently updated"
            time.sleep(0.05 * (attempt + 1))
        else:
            return
    connection.execute(step)


def _check_vector(connection: psycopg.Connection[Any]) -> None:
    version = str(_ask(connection, "SELECT extversion FROM pg_extension WHERE extname = 'vector'"))
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_VECTOR:
        wanted = ".".join(map(str, OLDEST_VECTOR))
        raise ConfigError(
            f"the database has pgvector {version}, and Kerf needs {wanted} or newer",
            hint="install it, then ALTER EXTENSION vector UPDATE",
        )
