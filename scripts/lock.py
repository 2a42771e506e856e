"""Writes requirements.lock: the versions that this environment has of everything that Kerf needs.

    .venv/bin/pip install --upgrade -e '.[multilingual,dev]' 'python-dateutil<3' 'soupsieve<3'
    .venv/bin/python scripts/lock.py

Walks the requirements of the installed distribution `kerf` with its extras, so that what else happens to be installed
stays out. Exit status 1 when something that is needed is not installed, or does not run on the oldest Python.

What is held back, and by whom: python-dateutil by Flask-AppBuilder, the login of the image (docker/requirements.txt
goes with this lock); soupsieve by Debian 12, whose Python is 3.11.2.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = frozenset({"multilingual", "dev"})
OLDEST = "3.11.2"  #: Python

HEAD = """\
# Every version that Kerf is tested with, for CPython 3.11 and newer. Made by scripts/lock.py; do not edit.
#
# torch has no build tag and no hash, so that the build is the installer's choice. An index whose plain `torch` is a
# CUDA build costs several gigabytes that Kerf does not use: put PyTorch's CPU index (its address is on PyTorch's page
# "Start locally") into PIP_EXTRA_INDEX_URL, and pip prefers the build "+cpu" of the same version from there.
"""


def installed() -> dict[str, str]:
    """Name → version of what `kerf[multilingual,dev]` needs, itself left out.

    Raises `PackageNotFoundError`, and `ValueError` for a version that the oldest Python does not run.
    """
    versions: dict[str, str] = {}
    waiting, seen = [("kerf", EXTRAS)], set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found = distribution(name)
        if "Requires-Python" in found.metadata and OLDEST not in SpecifierSet(found.metadata["Requires-Python"]):
            raise ValueError(f"{name} {found.version} does not run on Python {OLDEST}: install an older one")
        versions[name] = Version(found.version).public  # without the build tag: "2.13.0+cpu" is 2.13.0
        for requirement in map(Requirement, found.requires or ()):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    del versions["kerf"]
    return versions


def main() -> int:
    """Write the file; return the exit status."""
    try:
        versions = installed()
    except PackageNotFoundError as error:
        sys.stderr.write(f"{error.name} is needed and not installed: pip install -e '.[multilingual,dev]'\n")
        return 1
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    pins = "".join(f"{name}=={version}\n" for name, version in sorted(versions.items()))
    (ROOT / "requirements.lock").write_text(HEAD + pins, encoding="utf-8")
    sys.stdout.write(f"requirements.lock: {len(versions)} versions\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
